//! Small pieces of English that the rules speak with.

use nightfold_memory::GameTime;

use crate::text::{Analysis, bare};

/// The part of the day that a stretch of time lies in, as one would begin a sentence with it.
pub(super) fn when(from: GameTime, to: GameTime) -> &'static str {
    let part = |t: GameTime| match t.second_of_day() / 3600 {
        5..12 => "In the morning",
        12..17 => "In the afternoon",
        17..22 => "In the evening",
        _ => "In the night",
    };
    if to.seconds() - from.seconds() < 43_200 && part(from) == part(to) { part(from) } else { "Over the day" }
}

/// The text without its closing full stop, to stand inside a sentence: a capital that only marks its own
/// beginning is lowered.
pub(super) fn inside(text: &str, analysis: &Analysis) -> String {
    let text = bare(text);
    let first = text.split(' ').next().unwrap_or_default();
    let shouted = first.chars().skip(1).any(char::is_uppercase);
    let is_me = first == "I" || first.starts_with("I'") || first.starts_with("I\u{2019}");
    if analysis.opens_common && !shouted && !is_me { lower_first(text) } else { text.to_owned() }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_lowercase().chain(chars).collect())
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Ends a sentence that may have ended already.
pub(super) fn stop(text: &str) -> String {
    let ended = text.trim_end_matches(['"', '\u{201d}', '\'', ')']).ends_with(['.', '!', '?', '\u{2026}']);
    if ended { text.to_owned() } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Vocabulary;

    #[test]
    fn only_a_capital_that_marks_the_beginning_is_lowered() {
        let inside = |t| super::inside(t, &Analysis::new(t, []));
        assert_eq!(inside("The forge is idle."), "the forge is idle");
        assert_eq!(inside("I lit the hearth."), "I lit the hearth");
        assert_eq!(inside("Tom shouted"), "Tom shouted");
        let day = Vocabulary::of(std::iter::empty(), ["Salt is dear", "no salt came"].into_iter());
        assert_eq!(super::inside("Salt is dear", &Analysis::within("Salt is dear", &day)), "salt is dear");
    }
}
