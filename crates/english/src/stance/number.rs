//! Numbers by their value, in digits or written out.

use crate::{
    lexicon::{cardinal, multiple, ordinal},
    text::Token,
};

enum NumeralPart {
    /// Is added to the number before it.
    Plus(u64),
    /// Multiplies the number before it.
    Times(u64),
}

fn numeral_part(word: &str) -> Option<NumeralPart> {
    cardinal(word).map(NumeralPart::Plus).or_else(|| multiple(word).map(NumeralPart::Times))
}

/// A number and its range of tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) value: String,
    pub(super) from: usize,
    pub(super) to: usize,
}

fn digits(lower: &str) -> Option<String> {
    if !lower.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let plain = lower.replace(',', "");
    let ordinal = ["st", "nd", "rd", "th"].iter().find_map(|end| plain.strip_suffix(end));
    Some(match ordinal {
        Some(n) if n.bytes().all(|b| b.is_ascii_digit()) => format!("#{n}"),
        _ => plain,
    })
}

/// Returns the numbers among the words. "One" alone is left out: it mostly means "someone".
pub(super) fn numbers(tokens: &[Token]) -> Vec<Number> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let lower = tokens[at].lower.as_str();
        if let Some(value) = digits(lower) {
            let times = tokens.get(at + 1).and_then(|t| match numeral_part(&t.lower) {
                Some(NumeralPart::Times(n)) => value.parse::<u64>().ok()?.checked_mul(n),
                _ => None,
            });
            let to = at + 1 + usize::from(times.is_some());
            found.push(Number { value: times.map_or(value, |n| n.to_string()), from: at, to });
            at = to;
            continue;
        }
        let special = match lower {
            "half" => Some("1/2".to_owned()),
            "quarter" => Some("1/4".to_owned()),
            "twice" => Some("2x".to_owned()),
            "thrice" => Some("3x".to_owned()),
            "couple" | "pair" if tokens.get(at + 1).is_some_and(|t| t.lower == "of") => Some("2".to_owned()),
            // "A second" is a moment, "at first" no count.
            _ if at > 0 && matches!(tokens[at - 1].lower.as_str(), "a" | "at" | "per") => None,
            _ => ordinal(lower).map(|n| format!("#{n}")),
        };
        if let Some(value) = special {
            found.push(Number { value, from: at, to: at + 1 });
            at += 1;
            continue;
        }
        let from = at;
        let (mut value, mut words, mut open) = (0_u64, 0, None::<u64>);
        while let Some(token) = tokens.get(at) {
            let parts: Option<Vec<NumeralPart>> = token.lower.split('-').map(numeral_part).collect();
            let Some(parts) = parts else { break };
            // "Two, three": two numbers and not five.
            if words > 0
                && parts.iter().all(|p| matches!(p, NumeralPart::Plus(_)))
                && open.is_some_and(|n| n % 100 != 0 && n < 20)
            {
                break;
            }
            for part in parts {
                match part {
                    NumeralPart::Plus(n) => open = Some(open.unwrap_or(0).saturating_add(n)),
                    NumeralPart::Times(n) if n >= 1_000 => {
                        value = value.saturating_add(open.take().unwrap_or(1).saturating_mul(n));
                    }
                    NumeralPart::Times(n) => open = Some(open.unwrap_or(1).saturating_mul(n)),
                }
            }
            words += 1;
            at += 1;
        }
        if words == 0 {
            at += 1;
        } else if !(words == 1 && tokens[from].lower == "one") {
            let value = value.saturating_add(open.unwrap_or(0)).to_string();
            found.push(Number { value, from, to: at });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokens;

    #[test]
    fn numbers_are_read_by_value() {
        let of = |text| numbers(&tokens(text)).into_iter().map(|n| n.value).collect::<Vec<_>>();
        for (text, values) in [
            ("nine silver, 14 coppers", vec!["9", "14"]),
            ("twenty-one sheep and two hundred goats", vec!["21", "200"]),
            ("two dozen eggs for 1,000 coppers", vec!["24", "1000"]),
            ("a couple of men", vec!["2"]),
            ("the third gate on the 4th", vec!["#3", "#4"]),
            ("three thousand five hundred and one", vec!["3500"]),
            ("no one came", vec![]),
            ("at 14:30 sharp", vec!["14:30"]),
        ] {
            assert_eq!(of(text), values, "{text}");
        }
    }
}
