//! Patterns of NPC names.

use std::cmp::Ordering;

use crate::id::{IdError, NpcId};

/// Name of an NPC, or a part of one with `*` for the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NamePattern {
    /// The whole name.
    Name(NpcId),
    /// Names with this beginning, end or part: true for each side that is open.
    Part { text: String, open_start: bool, open_end: bool },
}

/// Problem of a text that is no pattern.
#[derive(Debug, thiserror::Error)]
pub(super) enum PatternError {
    #[error("has a `*` inside; it may stand at the beginning and at the end alone")]
    StarInside,
    #[error(transparent)]
    Name(#[from] IdError),
}

impl NamePattern {
    pub(super) fn parse(text: &str) -> Result<Self, PatternError> {
        let name = NpcId::new(text)?;
        let (rest, open_start) = text.strip_prefix('*').map_or((text, false), |rest| (rest, true));
        let (rest, open_end) = rest.strip_suffix('*').map_or((rest, false), |rest| (rest, true));
        match (rest.contains('*'), open_start || open_end) {
            (true, _) => Err(PatternError::StarInside),
            (false, false) => Ok(Self::Name(name)),
            (false, true) => Ok(Self::Part { text: rest.to_owned(), open_start, open_end }),
        }
    }

    /// True if the name fits. Upper and lower case differ, as in names of NPCs.
    pub(super) fn matches(&self, npc: &NpcId) -> bool {
        let name = npc.as_str();
        match self {
            Self::Name(own) => own == npc,
            Self::Part { text, open_start: false, .. } => name.starts_with(text),
            Self::Part { text, open_end: false, .. } => name.ends_with(text),
            Self::Part { text, .. } => name.contains(text),
        }
    }

    /// Orders patterns from the one that says most of a name to the one that says least.
    pub(super) fn cmp_by_length(&self, other: &Self) -> Ordering {
        other.length().cmp(&self.length())
    }

    fn length(&self) -> usize {
        match self {
            Self::Name(_) => usize::MAX,
            Self::Part { text, .. } => text.chars().count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn star_at_an_end_stands_for_any_characters() {
        for (pattern, fits, differs) in [
            ("Bran Holt", "Bran Holt", "Bran Holt II"),
            ("Guard *", "Guard 12", "Old Guard 12"),
            ("* Holt", "Bran Holt", "Bran Holton"),
            ("*Guard*", "Old Guard 12", "Gard"),
            ("Guard*", "Guard", "guard"),
        ] {
            let parsed = NamePattern::parse(pattern).unwrap();
            assert!(parsed.matches(&fits.parse().unwrap()), "{pattern} {fits}");
            assert!(!parsed.matches(&differs.parse().unwrap()), "{pattern} {differs}");
        }
        assert!(NamePattern::parse("*").unwrap().matches(&"Anybody".parse().unwrap()));
    }

    #[test]
    fn star_inside_and_empty_patterns_are_refused() {
        assert!(matches!(NamePattern::parse("G*d"), Err(PatternError::StarInside)));
        assert!(matches!(NamePattern::parse("*a*b*"), Err(PatternError::StarInside)));
        assert!(matches!(NamePattern::parse(" "), Err(PatternError::Name(IdError::Empty))));
    }
}
