//! Checks of what a file states, beyond its shape: numbers are in range, and fields agree with each other. Saved plans
//! and exports of stores are checked by the same functions.

use std::collections::BTreeSet;

use crate::{
    ended::EndedPosition,
    id::MemoryId,
    record::{Entry, Fingerprint, State},
    theme::{Theme, ThemeNight},
    time::GameTime,
    vector::Vector,
};

/// A field of a file that states what cannot be true.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("field `{field}`: {problem}")]
pub struct FieldError {
    /// Name of the field, as files have it.
    pub field: &'static str,
    /// The problem with its value.
    pub problem: FieldProblem,
}

/// Problem with the value of a field.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldProblem {
    /// The number is outside its range.
    #[error("{given} is out of range; it lies between {least} and {most}")]
    OutOfRange {
        /// Number that was given.
        given: f64,
        /// Least allowed number.
        least: f64,
        /// Greatest allowed number.
        most: f64,
    },
    /// The last of several moments is before the first.
    #[error("{last} is before {first}, the first of the moments that it is the last of")]
    BeforeFirst {
        /// First moment.
        first: GameTime,
        /// Last moment, as it was given.
        last: GameTime,
    },
    /// The text or the time is not that of the memory that the entry keeps in its own words.
    #[error("text and time are not those of the memory that is kept in its own words")]
    OtherMemory,
    /// The vector is longer or shorter than others of the model.
    #[error("a vector of {given} numbers; those of its model have {expected}")]
    VectorLength {
        /// Length of the model's vectors.
        expected: usize,
        /// Length that was given.
        given: usize,
    },
    /// The field contradicts another one.
    #[error("{0}")]
    Contradiction(&'static str),
}

impl FieldError {
    fn contradiction(field: &'static str, text: &'static str) -> Self {
        Self { field, problem: FieldProblem::Contradiction(text) }
    }
}

fn within(field: &'static str, given: f64, least: f64, most: f64) -> Result<(), FieldError> {
    if (least..=most).contains(&given) {
        return Ok(());
    }
    Err(FieldError { field, problem: FieldProblem::OutOfRange { given, least, most } })
}

fn in_order(field: &'static str, first: GameTime, last: GameTime) -> Result<(), FieldError> {
    if first <= last {
        return Ok(());
    }
    Err(FieldError { field, problem: FieldProblem::BeforeFirst { first, last } })
}

/// Content of an entry, as far as it can be wrong.
#[derive(Debug, Clone, Copy)]
pub struct EntryClaims<'a> {
    /// Text of the entry.
    pub text: &'a str,
    /// Time of the first memory.
    pub at: GameTime,
    /// Time of the last memory.
    pub last_at: GameTime,
    /// Number of times it was experienced.
    pub occurrences: u32,
    /// Valence of the emotion.
    pub valence: Option<f64>,
    /// Intensity of the emotion.
    pub intensity: Option<f64>,
    /// Fingerprint of the text and time that it keeps; `None` for a text of a night's own making whose fingerprint is
    /// not stated.
    pub known: Option<Fingerprint>,
}

impl<'a> EntryClaims<'a> {
    /// Returns the claims of an entry; `known` is the fingerprint of the memory that it keeps in its own words, if it
    /// does.
    pub fn of(entry: &'a Entry, known: Option<Fingerprint>) -> Self {
        Self {
            text: &entry.text,
            at: entry.at,
            last_at: entry.last_at,
            occurrences: entry.occurrences,
            valence: entry.emotion.map(|felt| f64::from(felt.valence)),
            intensity: entry.emotion.map(|felt| f64::from(felt.intensity)),
            known,
        }
    }

    /// Checks the claims.
    ///
    /// # Errors
    /// [`FieldError`] names the first field that cannot be true.
    pub fn check(&self) -> Result<(), FieldError> {
        if self.known.is_some_and(|known| known != Fingerprint::of(self.text, self.at)) {
            return Err(FieldError { field: "text", problem: FieldProblem::OtherMemory });
        }
        in_order("last_at", self.at, self.last_at)?;
        within("occurrences", f64::from(self.occurrences), 1.0, f64::from(u32::MAX))?;
        match (self.valence, self.intensity) {
            (None, None) => Ok(()),
            (Some(valence), Some(intensity)) => {
                within("valence", valence, -1.0, 1.0)?;
                within("intensity", intensity, 0.0, 1.0)
            }
            (None, Some(_)) => Err(FieldError::contradiction("valence", "an emotion has a valence")),
            (Some(_), None) => Err(FieldError::contradiction("intensity", "an emotion has an intensity")),
        }
    }
}

/// State of a record, as far as it can be wrong.
#[derive(Debug, Clone, Copy)]
pub struct StateClaims {
    /// State in long-term memory.
    pub state: State,
    /// True if a rule is named that archived it.
    pub has_archived_by: bool,
    /// True if a successor is named.
    pub has_successor: bool,
}

impl StateClaims {
    /// Checks the claims.
    ///
    /// # Errors
    /// [`FieldError`] names the first field that cannot be true.
    pub fn check(self) -> Result<(), FieldError> {
        let fault = |field, text| Err(FieldError::contradiction(field, text));
        match self.state {
            State::Active if self.has_archived_by => fault("archived_by", "no rule archived an active entry"),
            State::Active if self.has_successor => {
                fault("superseded_by", "nothing superseded an active entry")
            }
            State::Archived if !self.has_archived_by => {
                fault("archived_by", "some rule archived an archived entry")
            }
            State::Active | State::Archived => Ok(()),
        }
    }
}

/// Ended positions of a record, as far as they can be wrong.
#[derive(Debug, Clone, Copy)]
pub struct EndedClaims<'a> {
    /// Id of the record.
    pub id: &'a MemoryId,
    /// Text of the record.
    pub text: &'a str,
    /// Its ended positions.
    pub ended: &'a [EndedPosition],
}

impl EndedClaims<'_> {
    /// Checks the claims.
    ///
    /// # Errors
    /// [`FieldError`] names the first field that cannot be true.
    pub fn check(self) -> Result<(), FieldError> {
        let fault = |text| Err(FieldError::contradiction("ended", text));
        let words: BTreeSet<&str> = self.ended.iter().map(|ended| &*ended.text).collect();
        if self.ended.iter().any(|ended| !ended.is_stated_in(self.text)) {
            return fault("the text does not state a position that ended");
        }
        if self.ended.iter().any(|ended| ended.by == *self.id) {
            return fault("an entry does not end its own position");
        }
        if words.len() < self.ended.len() || !self.ended.is_sorted() {
            return fault("positions are sorted, and each ends once");
        }
        Ok(())
    }
}

/// State of a theme after a night, as far as it can be wrong.
#[derive(Debug, Clone, Copy)]
pub struct ThemeClaims {
    /// Number of memories, over all nights.
    pub memories: u64,
    /// Number of nights.
    pub nights: u64,
    /// Number of nights that are listed.
    pub recent: usize,
    /// Number of memories of the night.
    pub members: usize,
    /// Mean importance of these memories.
    pub importance: f64,
    /// Time of the first memory.
    pub first_at: GameTime,
    /// Time of the last memory.
    pub last_at: GameTime,
}

impl ThemeClaims {
    /// Returns the claims of a night on one theme.
    pub fn of(night: &ThemeNight) -> Self {
        let ThemeNight { theme, members, importance, .. } = night;
        Self {
            memories: theme.memories,
            nights: u64::from(theme.nights),
            recent: theme.recent.len(),
            members: members.len(),
            importance: *importance,
            first_at: theme.first_at,
            last_at: theme.last_at,
        }
    }

    /// Checks the claims.
    ///
    /// # Errors
    /// [`FieldError`] names the first field that cannot be true.
    pub fn check(self) -> Result<(), FieldError> {
        within("importance", self.importance, 1.0, 10.0)?;
        within("members", self.members as f64, 1.0, self.memories as f64)?;
        within("nights", self.nights as f64, 1.0, f64::from(u32::MAX))?;
        let most = self.nights.min(Theme::MAX_RECENT as u64);
        within("recent", self.recent as f64, 0.0, most as f64)?;
        in_order("last_at", self.first_at, self.last_at)
    }
}

/// Length of the vectors of one model: that which is expected, or else that of the first vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VectorLength(pub Option<usize>);

impl VectorLength {
    /// Checks that a vector is as long as all others.
    ///
    /// # Errors
    /// [`FieldError`] names the field.
    pub fn check(&mut self, field: &'static str, vector: &Vector) -> Result<(), FieldError> {
        let given = vector.as_slice().len();
        let expected = *self.0.get_or_insert(given);
        if expected == given {
            return Ok(());
        }
        Err(FieldError { field, problem: FieldProblem::VectorLength { expected, given } })
    }
}
