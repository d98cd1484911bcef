//! The packs of this crate, and the choice between them.

use nightfold_memory::{LanguagePack, LanguagePacks};
use whatlang::{Lang, Script};

use crate::{English, Neutral, lexicon::is_english_word};

/// The language packs that come with Nightfold: [`English`], and [`Neutral`] for text in any other language.
///
/// ```
/// use nightfold_english::Packs;
/// use nightfold_memory::LanguagePacks;
///
/// let pack = |texts: &[&str]| Packs.detect(&mut texts.iter().copied()).name();
/// assert_eq!(pack(&["The town gate is open.", "I swept the common room."]), "english");
/// assert_eq!(pack(&["Das Stadttor ist offen.", "Ich habe die Stube gefegt."]), "neutral");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Packs;

/// Maximum number of words examined; more add no information.
const MAX_WORDS: usize = 400;

/// Share of known words from which a text is English: English prose with many names has more, other languages
/// in Latin letters have hardly a quarter (words that are spelt alike, such as "war" and "hand").
const MIN_ENGLISH_SHARE: f64 = 0.5;

/// Share of known words below which another language is assumed even if its detection is unreliable.
const LOW_ENGLISH_SHARE: f64 = 0.3;

impl LanguagePacks for Packs {
    fn named(&self, name: &str) -> Option<&dyn LanguagePack> {
        match name {
            "english" => Some(&English),
            "neutral" => Some(&Neutral),
            _ => None,
        }
    }

    fn names(&self) -> Vec<&'static str> {
        vec![English.name(), Neutral.name()]
    }

    fn detect(&self, texts: &mut dyn Iterator<Item = &str>) -> &dyn LanguagePack {
        if is_english(texts) { &English } else { &Neutral }
    }
}

/// True if texts are probably English: decided by their words if most are known, otherwise by trigrams
/// (Cavnar and Trenkle 1994).
fn is_english(texts: &mut dyn Iterator<Item = &str>) -> bool {
    let (mut words, mut known, mut sample) = (0_usize, 0_usize, String::new());
    for text in texts {
        let letters = text.split(|c: char| !c.is_alphabetic());
        // A single letter is a word in many languages, or left over by an apostrophe.
        for word in letters.filter(|word| word.chars().nth(1).is_some()).take(MAX_WORDS - words) {
            words += 1;
            known += usize::from(is_english_word(&word.to_lowercase()));
            sample.push_str(word);
            sample.push(' ');
        }
        if words >= MAX_WORDS {
            break;
        }
    }
    let share = known as f64 / words.max(1) as f64;
    if share >= MIN_ENGLISH_SHARE {
        return true;
    }
    let Some(told) = whatlang::detect(&sample) else { return true };
    if told.script() != Script::Latin {
        return false;
    }
    told.lang() == Lang::Eng || !(told.is_reliable() || share < LOW_ENGLISH_SHARE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(texts: &[&str]) -> &'static str {
        Packs.detect(&mut texts.iter().copied()).name()
    }

    #[test]
    fn english_texts_are_detected() {
        for day in [
            &["I swept the common room.", "Tom owes Joss 14 silver."][..],
            &["bed is idle", "stove is idle"],
            &["Guard post status: 3 patrols, 1 alert", "Guard post status: 5 patrols, 0 alerts"],
            &["ok", "3", "\u{2026}"],
            &[],
            &["Wren baked bread"],
            &["The gate is open. \u{201e}Guten Abend\u{201c}, said Ilse."],
        ] {
            assert_eq!(detected(day), "english", "{day:?}");
        }
    }

    #[test]
    fn other_languages_are_detected_as_neutral() {
        for day in [
            &["Das Stadttor ist offen.", "Das Stadttor ist nicht offen."][..],
            &["La porte de la ville est ouverte.", "J'ai balay\u{e9} la salle commune ce matin."],
            &["La puerta del pueblo est\u{e1} abierta.", "Barr\u{ed} la sala antes de abrir."],
            &["Il cancello della citt\u{e0} \u{e8} aperto.", "Ho spazzato la sala."],
            &["Stadsporten \u{e4}r \u{f6}ppen.", "Jag sopade stugan i morse."],
            &[
                "\u{413}\u{43e}\u{440}\u{43e}\u{434}\u{441}\u{43a}\u{438}\u{435} \u{432}\u{43e}\u{440}\u{43e}\u{442}\u{430} \u{43e}\u{442}\u{43a}\u{440}\u{44b}\u{442}\u{44b}.",
            ],
            &["\u{57ce}\u{9580}\u{304c}\u{958b}\u{3044}\u{3066}\u{3044}\u{308b}\u{3002}"],
            &["\u{57ce}\u{95e8}\u{5f00}\u{7740}\u{3002}"],
        ] {
            assert_eq!(detected(day), "neutral", "{day:?}");
        }
    }
}
