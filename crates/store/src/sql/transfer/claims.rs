//! Checks of what a line states. [`soundness`](nightfold_memory::soundness) has the rules, which plans share.

use nightfold_memory::{
    Change,
    soundness::{EndedClaims, EntryClaims, FieldError, FieldProblem, StateClaims, ThemeClaims, VectorLength},
};

use super::line::Line;

impl Line {
    /// Checks the fields of the row against each other; `length` is that of the vectors of the lines before.
    ///
    /// # Errors
    /// [`FieldError`] names the first field that cannot be true.
    pub(super) fn check(&self, length: &mut VectorLength) -> Result<(), FieldError> {
        match self {
            Self::Memory(row) => {
                EntryClaims {
                    text: &row.text,
                    at: row.at,
                    last_at: row.last_at,
                    occurrences: row.occurrences,
                    valence: row.valence.map(|real| real.0),
                    intensity: row.intensity.map(|real| real.0),
                    known: Some(row.known),
                }
                .check()?;
                StateClaims {
                    state: row.state.0,
                    has_archived_by: row.archived_by.is_some(),
                    has_successor: row.superseded_by.is_some(),
                }
                .check()?;
                EndedClaims { id: &row.id, text: &row.text, ended: &row.ended.items() }.check()
            }
            Self::Prior(row) => StateClaims {
                state: row.state.0,
                has_archived_by: row.archived_by.is_some(),
                has_successor: row.superseded_by.is_some(),
            }
            .check(),
            Self::Vector(row) => length.check("numbers", &row.numbers.0),
            Self::Theme(row) => {
                ThemeClaims {
                    tightness: row.tightness.0,
                    memories: row.memories,
                    nights: row.nights,
                    recent: row.recent.items().len(),
                    tonight: row.tonight,
                    importance: row.importance.0,
                    first_at: row.first_at,
                    last_at: row.last_at,
                }
                .check()?;
                length.check("centre", &row.centre.0)
            }
            Self::Log(row) if !Change::VERBS.contains(&&*row.verb) => {
                let problem = FieldProblem::Contradiction("this is no verb of a change");
                Err(FieldError { field: "verb", problem })
            }
            Self::Npc(_)
            | Self::Night(_)
            | Self::Edge(_)
            | Self::PriorEdge(_)
            | Self::Log(_)
            | Self::Gone(_) => Ok(()),
        }
    }
}
