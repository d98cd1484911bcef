//! Small pieces of English shared by the wordings.

use crate::text::{Analysis, without_full_stop};

/// Returns the text for use inside a sentence: without its closing full stop, and with its first letter
/// lowered if the capital only marks the beginning.
pub(super) fn inside_sentence(text: &str, analysis: &Analysis) -> String {
    let text = without_full_stop(text);
    let first = text.split(' ').next().unwrap_or_default();
    let shouted = first.chars().skip(1).any(char::is_uppercase);
    let is_me = first == "I" || first.starts_with("I'") || first.starts_with("I\u{2019}");
    if analysis.starts_common && !shouted && !is_me { lower_first(text) } else { text.to_owned() }
}

pub(super) fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_lowercase().chain(chars).collect())
}

/// Joins items as `a`, `a and b`, `a, b and c`.
pub(crate) fn join_list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Returns the name of a text about these topics, each a noun phrase.
pub(crate) fn title(topics: &[&str]) -> String {
    let topics: Vec<String> = topics.iter().map(|&topic| topic.to_owned()).collect();
    upper_first(&join_list(&topics))
}

/// Chooses one of several wordings by a hash of the words, the same on every machine.
pub(super) fn choose_wording<'a>(wordings: &[&'a str], words: &[&str]) -> &'a str {
    // FNV-1a.
    let hash = words.iter().flat_map(|w| w.bytes()).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    // The low bits of FNV alone mix badly.
    let mixed = (hash ^ (hash >> 32)) as usize;
    wordings.get(mixed % wordings.len().max(1)).copied().unwrap_or_default()
}

/// Fills the placeholders of a wording: `{s}` with the subject, `{S}` with the subject at the start of a
/// sentence, `{x}` with the statement.
pub(super) fn fill_wording(wording: &str, about: &str, said: &str) -> String {
    let mut out = String::with_capacity(wording.len() + about.len() + said.len());
    let mut rest = wording;
    while let Some((before, gap)) = rest.split_once('{') {
        out.push_str(before);
        rest = if let Some(behind) = gap.strip_prefix("s}") {
            out.push_str(about);
            behind
        } else if let Some(behind) = gap.strip_prefix("S}") {
            out.push_str(&upper_first(about));
            behind
        } else if let Some(behind) = gap.strip_prefix("x}") {
            out.push_str(said);
            behind
        } else {
            out.push('{');
            gap
        };
    }
    out.push_str(rest);
    out
}

pub(super) fn upper_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

/// Ends a sentence with a full stop, unless it has ended already.
pub(crate) fn end_sentence(text: &str) -> String {
    let ended = text.trim_end_matches(['"', '\u{201d}', '\'', ')']).ends_with(['.', '!', '?', '\u{2026}']);
    if ended { text.to_owned() } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Spelling, analyze, analyze_within, read_tokens};

    #[test]
    fn titles_join_topics() {
        assert_eq!(title(&["the debt of 14 silver"]), "The debt of 14 silver");
        assert_eq!(title(&["Odo's fever", "the willow bark"]), "Odo's fever and the willow bark");
        assert_eq!(title(&[]), "");
    }

    #[test]
    fn placeholders_are_filled_once() {
        assert_eq!(
            fill_wording("{S}, of {s}: {x}", "the kite", "{s} flew {high}"),
            "The kite, of the kite: {s} flew {high}"
        );
        assert_eq!(fill_wording("{", "a", "b"), "{");
    }

    #[test]
    fn choice_of_wording_is_deterministic() {
        let wordings = ["a", "b", "c", "d"];
        let chosen: Vec<&str> =
            (0..40).map(|n| choose_wording(&wordings, &["kite", &n.to_string()])).collect();
        assert!(wordings.iter().all(|w| chosen.contains(w)), "{chosen:?}");
        assert_eq!(choose_wording(&wordings, &["kite"]), choose_wording(&wordings, &["kite"]));
        assert_eq!(choose_wording(&[], &["kite"]), "");
    }

    #[test]
    fn only_capitals_of_common_words_are_lowered() {
        let inside = |t| super::inside_sentence(t, &analyze(t, []));
        assert_eq!(inside("The forge is idle."), "the forge is idle");
        assert_eq!(inside("I lit the hearth."), "I lit the hearth");
        assert_eq!(inside("Tom shouted"), "Tom shouted");
        let read = read_tokens("Salt is dear\nno salt came");
        let day = Spelling::of(std::iter::empty(), read.iter());
        assert_eq!(
            super::inside_sentence("Salt is dear", &analyze_within(read_tokens("Salt is dear"), &day)),
            "salt is dear"
        );
    }
}
