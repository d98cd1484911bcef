//! Tokens of a status line: words, and values that change from reading to reading.

use nightfold_memory::text::part;

/// One token of a status line.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum StatusToken<'a> {
    /// A date, a time of day or both.
    Datetime,
    /// A UUID, a hexadecimal string, or the id of a request, a run or the like.
    Id,
    /// A number, with its sign, its decimals and its percent sign.
    Number,
    /// A word as written.
    Word(&'a str),
}

impl StatusToken<'_> {
    /// Returns the placeholder of an ephemeral token; `None` for a word.
    pub(super) fn placeholder(&self) -> Option<&'static str> {
        match self {
            Self::Datetime => Some("<datetime>"),
            Self::Id => Some("<id>"),
            Self::Number => Some("<num>"),
            Self::Word(_) => None,
        }
    }
}

/// Splits a text into tokens; characters that belong to neither a word nor a value only separate them.
pub(super) fn tokens(text: &str) -> Vec<StatusToken<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut before: Option<char> = None;
    while let Some(first) = rest.chars().next() {
        let at_boundary = before.is_none_or(|c| !c.is_alphanumeric());
        let length = if let Some(length) = datetime_len(rest).filter(|_| at_boundary) {
            tokens.push(StatusToken::Datetime);
            length
        } else if first.is_alphanumeric() {
            let run = run_len(rest);
            if is_id(part(rest, ..run)) {
                tokens.push(StatusToken::Id);
                run
            } else if first.is_ascii_digit() {
                tokens.push(StatusToken::Number);
                number_len(rest)
            } else {
                let word = letters_len(rest);
                tokens.push(StatusToken::Word(part(rest, ..word)));
                word
            }
        } else if let Some(digits) =
            rest.strip_prefix(['-', '+']).filter(|digits| at_boundary && begins_with_digit(digits))
        {
            tokens.push(StatusToken::Number);
            1 + number_len(digits)
        } else {
            first.len_utf8()
        };
        let (read, unread) = rest.split_at_checked(length).unwrap_or((rest, ""));
        before = read.chars().next_back();
        rest = unread;
    }
    tokens
}

fn begins_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the length in bytes of the letters at the start of a text. Digits that are not ASCII count as
/// letters.
fn letters_len(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() || c.is_ascii_digit()).unwrap_or(text.len())
}

/// Returns the length in bytes of the run of letters, digits, `-` and `_` at the start of a text.
fn run_len(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_'))).unwrap_or(text.len())
}

/// Returns the length in bytes of the number at the start of a text: `42`, `1,204`, `99.5%`, `10.0.0.7`.
fn number_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = 0;
    while digit(at) || (matches!(bytes.get(at), Some(b'.' | b',')) && digit(at + 1)) {
        at += 1;
    }
    at + usize::from(bytes.get(at) == Some(&b'%'))
}

/// True if a run of letters, digits, `-` and `_` is an id: a UUID, `0x1f`, at least eight hexadecimal digits
/// with a digit and a letter among them, or a name with a digit in a later part (`run-abc123`, `blk_-160899`,
/// `task_7_m_3`).
fn is_id(run: &str) -> bool {
    let hex = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_hexdigit());
    let parts: Vec<&str> = run.split(['-', '_']).filter(|part| !part.is_empty()).collect();
    let digits = |s: &str| s.bytes().any(|b| b.is_ascii_digit());
    match parts.as_slice() {
        [one] => {
            let zero_x = one.strip_prefix("0x").or_else(|| one.strip_prefix("0X")).is_some_and(hex);
            let mixed = digits(one) && one.bytes().any(|b| b.is_ascii_alphabetic());
            zero_x || (one.len() >= 8 && hex(one) && mixed)
        }
        parts => {
            let uuid = parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12]);
            (uuid && parts.iter().all(|part| hex(part))) || digits_after_a_name(parts)
        }
    }
}

/// True if the first part begins with a letter and a later part contains a digit.
fn digits_after_a_name(parts: &[&str]) -> bool {
    let Some((name, later)) = parts.split_first() else { return false };
    name.starts_with(|c: char| c.is_alphabetic())
        && later.iter().any(|part| part.bytes().any(|b| b.is_ascii_digit()))
}

/// Returns the length in bytes of the date, the time or both at the start of a text: `2026-03-15`,
/// `2026-03-15T14:30:00Z`, `2026-03-15 14:30`, `14:30:05.120`.
fn datetime_len(text: &str) -> Option<usize> {
    let length = match date_len(text) {
        Some(date) => {
            let clock = part(text, date..).strip_prefix(['T', 't', ' ']).and_then(clock_len);
            date + clock.map_or(0, |clock| 1 + clock)
        }
        None => clock_len(text)?,
    };
    let ends = part(text, length..).chars().next().is_none_or(|c| !c.is_alphanumeric());
    ends.then_some(length)
}

/// Returns the length of a date such as `2026-03-15` at the start of a text.
fn date_len(text: &str) -> Option<usize> {
    let bytes = text.as_bytes().get(..10)?;
    let digits = [0, 1, 2, 3, 5, 6, 8, 9].iter().all(|&at| bytes[at].is_ascii_digit());
    (digits && bytes[4] == b'-' && bytes[7] == b'-').then_some(10)
}

/// Returns the length of a time such as `14:30`, `14:30:05` or `14:30:05.120` at the start of a text, each
/// optionally with `Z`, `+02:00` or `+0200`.
fn clock_len(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let pair = |at: usize| digit(at) && digit(at + 1);
    let hours = if pair(0) { 2 } else { usize::from(digit(0)) };
    if hours == 0 || bytes.get(hours) != Some(&b':') || !pair(hours + 1) {
        return None;
    }
    let mut at = hours + 3;
    if bytes.get(at) == Some(&b':') && pair(at + 1) {
        at += 3;
        if matches!(bytes.get(at), Some(b'.' | b',')) && digit(at + 1) {
            at += 1;
            while digit(at) {
                at += 1;
            }
        }
    }
    match bytes.get(at) {
        Some(b'Z' | b'z') => at += 1,
        Some(b'+' | b'-') if pair(at + 1) => {
            let colon = usize::from(bytes.get(at + 3) == Some(&b':'));
            if pair(at + 3 + colon) {
                at += 5 + colon;
            }
        }
        _ => {}
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let shown = |t: &StatusToken<'_>| match t {
            StatusToken::Word(word) => (*word).to_owned(),
            other => other.placeholder().unwrap_or_default().to_owned(),
        };
        tokens(text).iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_kind_of_token_is_recognised() {
        for (text, expected) in [
            ("42 99.5% -3 1,204", "<num> <num> <num> <num>"),
            ("2026-03-15T14:30:00Z 2026-03-15 14:30 9:05:12.120", "<datetime> <datetime> <datetime>"),
            ("2026-03-15T14:30:00+02:00.", "<datetime>"),
            ("a8f2b3c4-0000-4d1e-9b7a-0123456789ab", "<id>"),
            ("0x7ffe a8f2b3c4d5 run-abc123 request_77 blk_-16089", "<id> <id> <id> <id> <id>"),
            ("45ms ssh2 guard-post", "<num> ms ssh <num> guard post"),
            ("10.250.19.102:50010", "<num> <num>"),
            ("deadbeef cafe", "deadbeef cafe"),
            ("Grüße: 3 Körbe", "Grüße <num> Körbe"),
            ("1204-05-03 and 3-4", "<datetime> and <num> <num>"),
            ("", ""),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
