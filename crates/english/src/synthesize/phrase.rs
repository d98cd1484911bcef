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
