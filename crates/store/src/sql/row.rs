//! Columns of a record: written and read in one order.

use std::str::FromStr;

use nightfold_memory::{
    Emotion, Entry, Fingerprint, GameTime, Importance, MemoryId, MemoryRecord, NpcId, Sketch, StoreError,
    Vector, effect::Edge,
};
use serde::{
    Serialize,
    de::{DeserializeOwned, IntoDeserializer, value},
};

use super::value::{FromCell, Row, SqlValue, WrongKind, params};

/// Builds a query whose first columns are those that [`read`] expects, of `memory AS m`.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT m.id, m.form, m.kind, m.text, m.at, m.last_at, m.importance, m.occurrences, m.actors, m.tags, m.place, ",
            "m.pinned, m.valence, m.intensity, m.sources, m.state, m.archived_by, m.corroborations, m.confidence, ",
            "m.superseded_by, m.contested_with, m.ended, m.last_corroborated_at, m.touched_at, m.recalls, m.recalled_at, m.night, m.sketch",
            $rest
        )
    };
}
pub(crate) use select;

/// Columns of a memory that later nights change, in the order of [`state`].
macro_rules! state {
    () => {
        "last_at, importance, pinned, tags, sources, state, archived_by, corroborations, confidence, superseded_by, \
         contested_with, ended, last_corroborated_at, touched_at"
    };
}

/// Inserts a new memory.
pub(crate) const INSERT: &str = concat!(
    "INSERT INTO memory (npc, version, id, known, form, kind, text, at, occurrences, actors, place, valence, intensity, night, sketch, ",
    state!(),
    ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, \
     ?24, ?25, ?26, ?27, ?28, ?29)"
);

/// Updates the columns that later nights change.
pub(crate) const UPDATE: &str = concat!(
    "UPDATE memory SET (",
    state!(),
    ") = (?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16) WHERE npc = ?1 AND id = ?2"
);

/// Saves them, so that undoing version `?3` can restore them.
pub(crate) const SAVE_PRIOR: &str = concat!(
    "INSERT INTO prior (npc, version, id, ",
    state!(),
    ") SELECT npc, ?3, id, ",
    state!(),
    " FROM memory WHERE npc = ?1 AND id = ?2"
);

/// Restores what version `?2` changed.
pub(crate) const RESTORE_PRIOR: &str = concat!(
    "UPDATE memory SET (",
    state!(),
    ") = (SELECT ",
    state!(),
    " FROM prior WHERE prior.npc = ?1 AND prior.version = ?2 AND prior.id = memory.id) \
     WHERE npc = ?1 AND id IN (SELECT id FROM prior WHERE npc = ?1 AND version = ?2)"
);

/// Values of [`INSERT`].
pub(crate) fn insert(npc: i64, version: u64, row: &MemoryRecord) -> Result<Vec<SqlValue<'_>>, StoreError> {
    let entry = &row.entry;
    let mut values = Vec::from(params![
        npc,
        version,
        entry.id.as_str(),
        Fingerprint::of(&entry.text, entry.at).to_bytes(),
        entry.form.as_str(),
        entry.kind.as_str(),
        &entry.text,
        entry.at,
        entry.occurrences,
        json(&entry.actors)?,
        entry.place.as_deref(),
        entry.emotion.map(|e| e.valence),
        entry.emotion.map(|e| e.intensity),
        row.night.as_str(),
        row.sketch.as_ref().map(Sketch::as_bytes),
    ]);
    values.extend(state(row)?);
    Ok(values)
}

/// Values of [`UPDATE`].
pub(crate) fn update(npc: i64, row: &MemoryRecord) -> Result<Vec<SqlValue<'_>>, StoreError> {
    let mut values = Vec::from(params![npc, row.entry.id.as_str()]);
    values.extend(state(row)?);
    Ok(values)
}

/// Values of the columns that later nights change.
fn state(row: &MemoryRecord) -> Result<[SqlValue<'_>; 14], StoreError> {
    Ok(params![
        row.entry.last_at,
        row.entry.importance.get(),
        row.entry.pinned,
        json(&row.entry.tags)?,
        json(&row.entry.sources)?,
        row.state.as_str(),
        row.archived_by.as_deref(),
        row.corroborations,
        row.confidence.as_str(),
        row.superseded_by.as_ref().map(MemoryId::as_str),
        json(&row.contested_with)?,
        json(&row.ended)?,
        row.last_corroborated_at,
        row.touched_at,
    ])
}

/// Reads the columns of [`select!`]; the vector is in a table of its own.
///
/// # Errors
/// [`StoreError::Damaged`] names the column and the memory.
pub(crate) fn read(cells: &mut Cells<'_>, npc: &NpcId) -> Result<MemoryRecord, StoreError> {
    // The fields of a literal are evaluated as they are written: in the order of the columns.
    Ok(MemoryRecord {
        npc: npc.clone(),
        entry: Entry {
            id: cells.parsed("id")?,
            form: cells.named("form")?,
            kind: cells.named("kind")?,
            text: cells.get("text")?,
            at: cells.time("time")?,
            last_at: cells.time("last time")?,
            importance: cells.with("importance", Importance::new)?,
            occurrences: cells.get("count of occurrences")?,
            actors: cells.json("list of actors")?,
            tags: cells.json("list of tags")?,
            place: cells.get("place")?,
            pinned: cells.get("pin")?,
            emotion: emotion(cells.get("valence")?, cells.get("intensity")?),
            sources: cells.json("list of sources")?,
            vector: None,
        },
        state: cells.named("state")?,
        archived_by: cells.get("rule of archiving")?,
        corroborations: cells.get("count of corroborations")?,
        confidence: cells.named("confidence")?,
        superseded_by: cells.parsed_if_any("successor")?,
        contested_with: cells.json("list of contested entries")?,
        ended: cells.json("list of ended positions")?,
        last_corroborated_at: cells.time_if_any("time of corroboration")?,
        touched_at: cells.time("time of touching")?,
        recalls: cells.get("count of recalls")?,
        recalled_at: cells.time_if_any("time of recall")?,
        night: cells.parsed("night")?,
        sketch: cells.sketch_if_any("sketch")?,
    })
}

/// Reads the columns `derived` and `source`.
pub(crate) fn edge(cells: &mut Cells<'_>) -> Result<Edge, StoreError> {
    Ok(Edge { derived: cells.parsed("id")?, source: cells.parsed("source")? })
}

fn emotion(valence: Option<f32>, intensity: Option<f32>) -> Option<Emotion> {
    Some(Emotion { valence: valence?, intensity: intensity? })
}

/// Serializes a value as JSON text.
pub(crate) fn json(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(StoreError::backend)
}

pub(super) fn time_of(number: i64) -> Result<GameTime, WrongKind> {
    GameTime::from_number(number).ok_or_else(|| WrongKind::new("a time", &SqlValue::Integer(number)))
}

/// Reads the cells of a row from left to right. The first cell identifies the row in errors.
pub(crate) struct Cells<'a> {
    row: &'a dyn Row,
    next: usize,
}

impl<'a> Cells<'a> {
    /// Starts at the first cell.
    pub(crate) fn of(row: &'a dyn Row) -> Self {
        Self { row, next: 0 }
    }

    /// Starts at a cell.
    pub(crate) fn at(row: &'a dyn Row, cell: usize) -> Self {
        Self { row, next: cell }
    }

    fn next(&mut self, what: &'static str) -> Result<SqlValue<'a>, StoreError> {
        let value = self.row.value(self.next).map_err(|e| self.damaged(what, e))?;
        self.next += 1;
        Ok(value)
    }

    /// Reads a value.
    pub(crate) fn get<T: FromCell>(&mut self, what: &'static str) -> Result<T, StoreError> {
        self.with(what, Ok::<T, std::convert::Infallible>)
    }

    /// Reads a value and converts it with `check`.
    pub(crate) fn with<T: FromCell, U, E>(
        &mut self,
        what: &'static str,
        check: impl FnOnce(T) -> Result<U, E>,
    ) -> Result<U, StoreError>
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        let cell = self.next(what)?;
        let value = T::from_cell(cell).map_err(|e| self.damaged(what, e))?;
        check(value).map_err(|e| self.damaged(what, e))
    }

    /// Reads text and parses it as a `T`.
    pub(crate) fn parsed<T: FromStr>(&mut self, what: &'static str) -> Result<T, StoreError>
    where
        T::Err: std::error::Error + Send + Sync + 'static,
    {
        // Parsed without a copy: a snapshot has tens of thousands of ids.
        match self.next(what)? {
            SqlValue::Text(text) => text.parse().map_err(|e| self.damaged(what, e)),
            other => Err(self.damaged(what, WrongKind::new("text", &other))),
        }
    }

    /// Reads text and parses it as a `T`, or NULL.
    pub(crate) fn parsed_if_any<T: FromStr>(&mut self, what: &'static str) -> Result<Option<T>, StoreError>
    where
        T::Err: std::error::Error + Send + Sync + 'static,
    {
        self.with(what, |text: Option<String>| text.map(|t| t.parse()).transpose())
    }

    /// Reads the name of an enum variant.
    pub(crate) fn named<T: DeserializeOwned>(&mut self, what: &'static str) -> Result<T, StoreError> {
        match self.next(what)? {
            SqlValue::Text(name) => {
                T::deserialize(IntoDeserializer::<value::Error>::into_deserializer(&*name))
                    .map_err(|e| self.damaged(what, e))
            }
            other => Err(self.damaged(what, WrongKind::new("a name", &other))),
        }
    }

    /// Reads a time.
    pub(crate) fn time(&mut self, what: &'static str) -> Result<GameTime, StoreError> {
        self.with(what, time_of)
    }

    /// Reads a time, or NULL.
    pub(crate) fn time_if_any(&mut self, what: &'static str) -> Result<Option<GameTime>, StoreError> {
        self.with(what, |number: Option<i64>| number.map(time_of).transpose())
    }

    /// Reads JSON text.
    pub(crate) fn json<T: DeserializeOwned>(&mut self, what: &'static str) -> Result<T, StoreError> {
        self.with(what, |text: String| serde_json::from_str(&text))
    }

    /// Reads a vector from its bytes.
    pub(crate) fn vector(&mut self, what: &'static str) -> Result<Vector, StoreError> {
        match self.next(what)? {
            SqlValue::Blob(bytes) => Vector::from_packed(&bytes).map_err(|e| self.damaged(what, e)),
            other => Err(self.damaged(what, WrongKind::new("bytes", &other))),
        }
    }

    /// Reads a vector from its bytes, or NULL.
    pub(crate) fn vector_if_any(&mut self, what: &'static str) -> Result<Option<Vector>, StoreError> {
        if self.row.value(self.next).is_ok_and(|value| value == SqlValue::Null) {
            self.next += 1;
            return Ok(None);
        }
        self.vector(what).map(Some)
    }

    /// Reads a sketch from its bytes, or NULL.
    pub(crate) fn sketch_if_any(&mut self, what: &'static str) -> Result<Option<Sketch>, StoreError> {
        let none = || WrongKind::new("bytes", &SqlValue::Null);
        match self.next(what)? {
            SqlValue::Null => Ok(None),
            SqlValue::Blob(bytes) => {
                Sketch::from_bytes(bytes).map(Some).ok_or_else(|| self.damaged(what, none()))
            }
            other => Err(self.damaged(what, WrongKind::new("bytes", &other))),
        }
    }

    fn damaged(
        &self,
        what: &'static str,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> StoreError {
        let id = match self.row.value(0) {
            Ok(SqlValue::Text(id)) => id.into_owned(),
            _ => "a name that is damaged too".to_owned(),
        };
        StoreError::Damaged { what, id, source: source.into() }
    }
}
