//! Identifiers: of NPCs, memories, themes, nights and models.

use std::{
    fmt::{self, Write as _},
    sync::Arc,
};

use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest, Sha256};

/// Reason why a string is not an identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// The string is empty or only white space.
    #[error("is empty; an id needs at least one visible character")]
    Empty,
    /// The string is longer than [`MAX_ID_BYTES`].
    #[error("is {0} bytes long; at most {MAX_ID_BYTES} are allowed")]
    TooLong(usize),
    /// The string contains a control character, which could take effect in a terminal or a log.
    #[error("holds the control character U+{0:04X}; ids are printable text")]
    Control(u32),
}

/// Longest identifier, in bytes of UTF-8.
pub const MAX_ID_BYTES: usize = 256;

fn check(id: &str) -> Result<(), IdError> {
    if id.trim().is_empty() {
        return Err(IdError::Empty);
    }
    if id.len() > MAX_ID_BYTES {
        return Err(IdError::TooLong(id.len()));
    }
    match id.chars().find(|c| c.is_control()) {
        Some(c) => Err(IdError::Control(u32::from(c))),
        None => Ok(()),
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(transparent)]
        pub struct $name(
            #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 256)))] Arc<str>,
        );

        impl $name {
            /// Returns the identifier of a string of 1 to 256 bytes without control characters.
            ///
            /// # Errors
            /// [`IdError`] says which of these conditions fails.
            pub fn new(id: impl AsRef<str>) -> Result<Self, IdError> {
                check(id.as_ref())?;
                Ok(Self(Arc::from(id.as_ref())))
            }

            /// Returns the identifier as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = IdError;

            fn from_str(id: &str) -> Result<Self, IdError> {
                Self::new(id)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let id = String::deserialize(deserializer)?;
                Self::new(&id).map_err(|e| serde::de::Error::custom(format_args!("id {e}")))
            }
        }
    };
}

id! {
    /// Name of an NPC. Everything a night reads and writes belongs to exactly one NPC.
    NpcId
}
id! {
    /// Id of a memory or of an entry of long-term memory, unique within its NPC.
    MemoryId
}
id! {
    /// Id of a theme, unique within its NPC: its most distinctive words and a fingerprint.
    ThemeId
}
id! {
    /// Label of a night, unique within its NPC: the date, or `day-N` on a clock of plain seconds.
    NightLabel
}
id! {
    /// Name of a save point: a state of long-term memory that a store can be rewound to.
    SavePointName
}
id! {
    /// Name of an embedding model with its revision. Vectors of different models are never compared.
    ModelId
}

impl MemoryId {
    /// Returns the id for the `n`-th different memory with this id: `id`, `id~2`, `id~3` … A long id is cut
    /// at its end to make room for the number.
    #[must_use]
    pub fn numbered(&self, n: usize) -> Self {
        if n <= 1 {
            return self.clone();
        }
        let number = format!("~{n}");
        let base = self.0.get(..self.0.floor_char_boundary(MAX_ID_BYTES - number.len())).unwrap_or_default();
        Self(Arc::from(format!("{base}{number}")))
    }

    /// Splits an id into the one that was given and the [number](Self::numbered) added to it, if there is one.
    pub fn split_number(id: &str) -> (&str, Option<usize>) {
        let split = || id.rsplit_once('~').and_then(|(base, n)| Some((base, n.parse().ok()?)));
        split().map_or((id, None), |(base, n)| (base, Some(n)))
    }

    /// True if different memories were given one id, of which these are two forms: `id` and `id~2`, `id~2` and `id~3`.
    pub fn is_namesake_of(&self, other: &Self) -> bool {
        let ((base, n), (other_base, other_n)) = (Self::split_number(&self.0), Self::split_number(&other.0));
        // A long id was cut before its number.
        let is_cut = |long: &Self, cut: &Self, n: Option<usize>| n.is_some_and(|n| long.numbered(n) == *cut);
        self != other && (base == other_base || is_cut(self, other, other_n) || is_cut(other, self, n))
    }

    /// Returns the id under which the fingerprint of an erased memory stays if this id names a person: a hash, from which
    /// the id cannot be read.
    #[must_use]
    pub fn erased(&self) -> Self {
        let hash = Sha256::digest(self.0.as_bytes());
        let mut id = String::from("~");
        for byte in &hash[..16] {
            // Writing to a String cannot fail.
            let _ = write!(id, "{byte:02x}");
        }
        Self(Arc::from(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_id_of_long_id_is_valid() {
        assert_eq!(MemoryId::new("m-1").unwrap().numbered(2).as_str(), "m-1~2");
        let long = MemoryId::new("ü".repeat(128)).unwrap();
        for n in [2, 10, 12_345] {
            let numbered = long.numbered(n);
            assert_eq!(MemoryId::new(numbered.as_str()), Ok(numbered.clone()));
            assert!(numbered.as_str().ends_with(&format!("~{n}")));
            assert!(numbered.is_namesake_of(&long) && long.is_namesake_of(&numbered));
        }
    }

    #[test]
    fn numbers_keep_namesakes_apart() {
        let id = |id: &str| MemoryId::new(id).unwrap();
        assert!(id("a").is_namesake_of(&id("a~2")) && id("a~3").is_namesake_of(&id("a~2")));
        for (a, b) in [("a", "a"), ("a", "b"), ("a~2", "b~2"), ("a", "a~x"), ("a", "a~")] {
            assert!(!id(a).is_namesake_of(&id(b)), "{a} and {b}");
        }
    }

    #[test]
    fn ids_with_control_characters_are_refused() {
        assert_eq!(NpcId::new("a\u{1b}[2J"), Err(IdError::Control(0x1b)));
        assert_eq!(NpcId::new("  "), Err(IdError::Empty));
        assert_eq!(NpcId::new("x".repeat(257)), Err(IdError::TooLong(257)));
        assert!(NpcId::new("Isabella Rodriguez").is_ok());
    }
}
