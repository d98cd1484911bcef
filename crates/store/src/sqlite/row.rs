//! Columns of a record: written and read in one order.

use std::str::FromStr;

use nightfold_memory::{
    Emotion, Entry, Fingerprint, GameTime, Importance, MemoryId, MemoryRecord, NpcId, StoreError, Vector,
};
use rusqlite::{
    Row, Statement, params,
    types::{FromSql, ValueRef},
};
use serde::{
    Serialize,
    de::{DeserializeOwned, IntoDeserializer, value},
};

/// Builds a query whose first columns are those that [`read`] expects, of `memory AS m`.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT m.id, m.form, m.kind, m.text, m.at, m.last_at, m.importance, m.occurrences, m.actors, ",
            "m.tags, m.place, m.pinned, m.valence, m.intensity, m.sources, m.state, m.archived_by, ",
            "m.corroborations, m.confidence, m.superseded_by, m.contested_with, m.last_corroborated_at, m.touched_at, ",
            "m.recalls, m.recalled_at, m.night",
            $rest
        )
    };
}
pub(super) use select;

/// Inserts a new memory.
pub(super) const INSERT: &str = "INSERT INTO memory (npc, version, id, known, form, kind, text, at, last_at, \
     importance, occurrences, actors, tags, place, pinned, valence, intensity, sources, state, archived_by, \
     corroborations, confidence, superseded_by, contested_with, last_corroborated_at, touched_at, night) VALUES (?1, ?2, \
     ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, \
     ?25, ?26, ?27)";

/// Updates the columns of a memory that later nights change.
pub(super) const UPDATE: &str = "UPDATE memory SET last_at = ?3, importance = ?4, pinned = ?5, tags = ?6, \
     sources = ?7, state = ?8, archived_by = ?9, corroborations = ?10, confidence = ?11, superseded_by = ?12, \
     contested_with = ?13, last_corroborated_at = ?14, touched_at = ?15 WHERE npc = ?1 AND id = ?2";

/// Saves those columns, so that undoing version `?3` can restore them.
pub(super) const SAVE_PRIOR: &str = "INSERT INTO prior (npc, version, id, last_at, importance, pinned, tags, \
     sources, state, archived_by, corroborations, confidence, superseded_by, contested_with, \
     last_corroborated_at, touched_at) \
     SELECT npc, ?3, id, last_at, importance, pinned, tags, sources, state, archived_by, corroborations, \
     confidence, superseded_by, contested_with, last_corroborated_at, touched_at FROM memory WHERE npc = ?1 AND id = ?2";

/// Restores the columns that version `?2` changed.
pub(super) const RESTORE_PRIOR: &str = "UPDATE memory SET last_at = p.last_at, importance = p.importance, \
     pinned = p.pinned, tags = p.tags, sources = p.sources, state = p.state, archived_by = p.archived_by, \
     corroborations = p.corroborations, confidence = p.confidence, superseded_by = p.superseded_by, \
     contested_with = p.contested_with, last_corroborated_at = p.last_corroborated_at, touched_at = p.touched_at \
     FROM prior AS p WHERE p.npc = ?1 AND p.version = ?2 AND memory.npc = p.npc AND memory.id = p.id";

/// Runs [`INSERT`].
pub(super) fn insert(
    statement: &mut Statement<'_>,
    npc: i64,
    version: u64,
    row: &MemoryRecord,
) -> rusqlite::Result<()> {
    let entry = &row.entry;
    statement.execute(params![
        npc,
        version,
        entry.id.as_str(),
        Fingerprint::of(&entry.text, entry.at).to_bytes(),
        entry.form.as_str(),
        entry.kind.as_str(),
        entry.text,
        entry.at.to_string(),
        entry.last_at.to_string(),
        entry.importance.get(),
        entry.occurrences,
        json(&entry.actors)?,
        json(&entry.tags)?,
        entry.place,
        entry.pinned,
        entry.emotion.map(|e| e.valence),
        entry.emotion.map(|e| e.intensity),
        json(&entry.sources)?,
        row.state.as_str(),
        row.archived_by,
        row.corroborations,
        row.confidence.as_str(),
        row.superseded_by.as_ref().map(MemoryId::as_str),
        json(&row.contested_with)?,
        row.last_corroborated_at.as_ref().map(GameTime::to_string),
        row.touched_at.to_string(),
        row.night.as_str(),
    ])?;
    Ok(())
}

/// Runs [`UPDATE`].
pub(super) fn update(statement: &mut Statement<'_>, npc: i64, row: &MemoryRecord) -> rusqlite::Result<()> {
    statement.execute(params![
        npc,
        row.entry.id.as_str(),
        row.entry.last_at.to_string(),
        row.entry.importance.get(),
        row.entry.pinned,
        json(&row.entry.tags)?,
        json(&row.entry.sources)?,
        row.state.as_str(),
        row.archived_by,
        row.corroborations,
        row.confidence.as_str(),
        row.superseded_by.as_ref().map(MemoryId::as_str),
        json(&row.contested_with)?,
        row.last_corroborated_at.as_ref().map(GameTime::to_string),
        row.touched_at.to_string(),
    ])?;
    Ok(())
}

/// Reads the columns of [`select!`]; the vector is in a table of its own.
///
/// # Errors
/// [`StoreError::Damaged`] names the column and the memory.
pub(super) fn read(cells: &mut Cells<'_, '_>, npc: &NpcId) -> Result<MemoryRecord, StoreError> {
    // The fields of a literal are evaluated as they are written: in the order of the columns.
    Ok(MemoryRecord {
        npc: npc.clone(),
        entry: Entry {
            id: cells.parsed("id")?,
            form: cells.named("form")?,
            kind: cells.named("kind")?,
            text: cells.get("text")?,
            at: cells.parsed("time")?,
            last_at: cells.parsed("last time")?,
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
        last_corroborated_at: cells.parsed_if_any("time of corroboration")?,
        touched_at: cells.parsed("time of touching")?,
        recalls: cells.get("count of recalls")?,
        recalled_at: cells.parsed_if_any("time of recall")?,
        night: cells.parsed("night")?,
    })
}

fn emotion(valence: Option<f32>, intensity: Option<f32>) -> Option<Emotion> {
    Some(Emotion { valence: valence?, intensity: intensity? })
}

/// Serializes a value as JSON text.
pub(super) fn json(value: &impl Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))
}

/// Reads the cells of a row from left to right. The first cell identifies the row in errors.
pub(super) struct Cells<'a, 'stmt> {
    row: &'a Row<'stmt>,
    next: usize,
}

impl<'a, 'stmt> Cells<'a, 'stmt> {
    /// Starts at the first cell.
    pub(super) fn of(row: &'a Row<'stmt>) -> Self {
        Self { row, next: 0 }
    }

    /// Reads a value of a type that SQLite supports.
    pub(super) fn get<T: FromSql>(&mut self, what: &'static str) -> Result<T, StoreError> {
        self.with(what, Ok::<T, std::convert::Infallible>)
    }

    /// Reads a value and converts it with `check`.
    pub(super) fn with<T: FromSql, U, E>(
        &mut self,
        what: &'static str,
        check: impl FnOnce(T) -> Result<U, E>,
    ) -> Result<U, StoreError>
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        let cell = self.row.get(self.next).map_err(|e| self.damaged(what, e))?;
        self.next += 1;
        check(cell).map_err(|e| self.damaged(what, e))
    }

    /// Reads text and parses it as a `T`.
    pub(super) fn parsed<T: FromStr>(&mut self, what: &'static str) -> Result<T, StoreError>
    where
        T::Err: std::error::Error + Send + Sync + 'static,
    {
        // Parsed without a copy: a snapshot has tens of thousands of ids.
        let cell = self.row.get_ref(self.next).map_err(|e| self.damaged(what, e))?;
        self.next += 1;
        let text = cell.as_str().map_err(|e| self.damaged(what, e))?;
        text.parse().map_err(|e| self.damaged(what, e))
    }

    /// Reads text and parses it as a `T`, or NULL.
    pub(super) fn parsed_if_any<T: FromStr>(&mut self, what: &'static str) -> Result<Option<T>, StoreError>
    where
        T::Err: std::error::Error + Send + Sync + 'static,
    {
        self.with(what, |text: Option<String>| text.map(|t| t.parse()).transpose())
    }

    /// Reads the name of an enum variant.
    pub(super) fn named<T: DeserializeOwned>(&mut self, what: &'static str) -> Result<T, StoreError> {
        self.with(what, |name: String| {
            T::deserialize(IntoDeserializer::<value::Error>::into_deserializer(name))
        })
    }

    /// Reads JSON text.
    pub(super) fn json<T: DeserializeOwned>(&mut self, what: &'static str) -> Result<T, StoreError> {
        self.with(what, |text: String| serde_json::from_str(&text))
    }

    /// Reads a vector from its bytes.
    pub(super) fn vector(&mut self, what: &'static str) -> Result<Vector, StoreError> {
        let cell = self.row.get_ref(self.next).map_err(|e| self.damaged(what, e))?;
        self.next += 1;
        let bytes = cell.as_blob().map_err(|e| self.damaged(what, e))?;
        Vector::from_bytes(bytes).map_err(|e| self.damaged(what, e))
    }

    /// Reads a vector from its bytes, or NULL.
    pub(super) fn vector_if_any(&mut self, what: &'static str) -> Result<Option<Vector>, StoreError> {
        match self.row.get_ref(self.next) {
            Ok(ValueRef::Null) => {
                self.next += 1;
                Ok(None)
            }
            _ => self.vector(what).map(Some),
        }
    }

    fn damaged(
        &self,
        what: &'static str,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> StoreError {
        let id = self.row.get(0).unwrap_or_else(|_| "a name that is damaged too".to_owned());
        StoreError::Damaged { what, id, source: Box::new(source) }
    }
}
