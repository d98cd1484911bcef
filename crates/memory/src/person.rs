//! A person by their names: which texts name them.

use crate::{id::MAX_ID_BYTES, sanitize::is_invisible};

/// Reason why a name cannot be searched for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PersonNameError {
    /// No name was given.
    #[error("no name is given; at least one is needed")]
    None,
    /// The name is so short that it is found in most texts.
    #[error("the name {0:?} has fewer than two letters or digits; it would be found in most texts")]
    TooShort(String),
    /// The name is longer than any name in a store.
    #[error("a name of {0} bytes is too long; at most {most} are allowed", most = MAX_ID_BYTES)]
    TooLong(usize),
}

/// Names of a person: that under which the game knows them, and others.
///
/// A text names the person if it contains one of the names as whole words. Capitals, invisible characters and
/// the way in which the words of a name are joined (by space, hyphen, underscore or apostrophe) make no
/// difference. In scripts that put no space between words, a name is found anywhere.
///
/// ```
/// use nightfold_memory::PersonNames;
///
/// let person = PersonNames::new(["Ada Miller"])?;
/// assert!(person.are_in("I saw ADA  MILLER's dog"));
/// assert!(person.are_in("social-ada-miller-1f2e3d4c"));
/// assert!(!person.are_in("Ada Millerton is no relative"));
/// # Ok::<(), nightfold_memory::PersonNameError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonNames {
    folded: Vec<String>,
}

impl PersonNames {
    /// Returns the names of a person.
    ///
    /// # Errors
    /// [`PersonNameError`] if there is none, or one is too short or too long.
    pub fn new<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> Result<Self, PersonNameError> {
        let mut folded = Vec::new();
        for name in names {
            let name = name.as_ref();
            if name.len() > MAX_ID_BYTES {
                return Err(PersonNameError::TooLong(name.len()));
            }
            let fold = fold(name).trim().to_owned();
            if fold.chars().filter(|c| c.is_alphanumeric()).count() < 2 {
                return Err(PersonNameError::TooShort(name.to_owned()));
            }
            if !folded.contains(&fold) {
                folded.push(fold);
            }
        }
        if folded.is_empty() { Err(PersonNameError::None) } else { Ok(Self { folded }) }
    }

    /// True if the text names the person.
    pub fn are_in(&self, text: &str) -> bool {
        let text = fold(text);
        self.folded.iter().any(|name| {
            text.match_indices(name.as_str()).any(|(at, found)| {
                let (before, rest) = text.split_at_checked(at).unwrap_or_default();
                let after = rest.strip_prefix(found).unwrap_or_default();
                !joined(before.chars().next_back(), found.chars().next())
                    && !joined(after.chars().next(), found.chars().next_back())
            })
        })
    }
}

/// Returns a text in lower case, without invisible characters, and with one space for all that may join the
/// words of a name.
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !is_invisible(*c)) {
        if c.is_whitespace() || matches!(c, '-' | '_' | '\'' | '\u{2019}' | '\u{2010}' | '\u{2011}') {
            if !folded.ends_with(' ') {
                folded.push(' ');
            }
        } else {
            folded.extend(c.to_lowercase());
        }
    }
    folded
}

/// True if a character beside a name belongs to the same word as the edge of the name.
fn joined(beside: Option<char>, edge: Option<char>) -> bool {
    let spaced = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c));
    spaced(beside) && spaced(edge)
}

/// True for a letter of a script without spaces between words, or with particles attached to names.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x3400..=0x9fff
        | 0xac00..=0xd7af | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_in(name: &str, text: &str) -> bool {
        PersonNames::new([name]).unwrap().are_in(text)
    }

    #[test]
    fn names_are_found_as_whole_words_however_they_are_written() {
        for text in ["Conan", "\"CONAN\" said", "conan's axe", "gift~conan-2", "co\u{200b}nan!", "(Conan)"] {
            assert!(is_in("Conan", text), "{text}");
        }
        for text in ["Conande", "deconan", "Conan2", "Co nan", ""] {
            assert!(!is_in("Conan", text), "{text}");
        }
        assert!(is_in("O'Brien", "I met O\u{2019}Brien at the mill"));
        assert!(is_in("player_1", "player_1 came") && !is_in("player_1", "player_12 came"));
        assert!(is_in("\u{52c7}\u{8005}", "\u{6751}\u{306b}\u{52c7}\u{8005}\u{304c}\u{6765}\u{305f}"));
        assert!(is_in("J\u{fc}rgen", "J\u{dc}RGEN ist da"));
    }

    #[test]
    fn names_that_are_in_most_texts_are_refused() {
        assert_eq!(PersonNames::new(["A"]), Err(PersonNameError::TooShort("A".to_owned())));
        assert_eq!(PersonNames::new(["Ada", " - "]), Err(PersonNameError::TooShort(" - ".to_owned())));
        assert_eq!(PersonNames::new([""; 0]), Err(PersonNameError::None));
        assert_eq!(PersonNames::new(["x".repeat(257)]), Err(PersonNameError::TooLong(257)));
        assert_eq!(PersonNames::new(["Ada", "ADA"]), PersonNames::new(["ada"]));
    }
}
