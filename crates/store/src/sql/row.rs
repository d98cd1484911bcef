//! Columns of a record: written and read in one order.

use std::{borrow::Cow, str::FromStr};

use nightfold_memory::{
    Emotion, Entry, Fingerprint, GameTime, Importance, MemoryId, MemoryRecord, NightLabel, NpcId, Reason,
    StoreError, ThemeSeen, Vector,
};
use serde::{
    Serialize,
    de::{DeserializeOwned, IntoDeserializer, value},
};

use super::{
    packed,
    value::{FromCell, Param, Row, SqlValue, WrongKind, params},
    words,
};

/// Builds a query whose first columns are those that [`read`] expects, of `memory AS m`.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT m.id, m.form, m.kind, m.text, m.at, coalesce(m.last_at, m.at), m.importance, m.occurrences, ",
            "coalesce(m.actors, '[]'), coalesce(m.tags, '[]'), m.place, m.pinned, m.valence, m.intensity, ",
            "coalesce(m.sources, '[]'), m.state, m.archived_by, m.corroborations, m.confidence, m.superseded_by, ",
            "coalesce(m.contested_with, '[]'), coalesce(m.ended, '[]'), m.last_corroborated_at, coalesce(m.touched_at, m.at), ",
            "m.recalls, m.recalled_at, coalesce(m.night, (SELECT w.label FROM night AS w WHERE w.npc = m.npc AND w.version = m.version))",
            $rest
        )
    };
}
pub(crate) use select;

/// Inserts a new memory.
pub(crate) const INSERT: &str = "INSERT INTO memory (npc, version, id, known, form, kind, text, at, last_at, \
     importance, occurrences, actors, tags, place, pinned, valence, intensity, sources, state, archived_by, \
     corroborations, confidence, superseded_by, contested_with, ended, last_corroborated_at, touched_at, night) VALUES \
     (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, \
     ?24, ?25, ?26, ?27, ?28)";

/// Updates the columns of a memory that later nights change.
pub(crate) const UPDATE: &str = "UPDATE memory SET last_at = ?3, importance = ?4, pinned = ?5, tags = ?6, \
     sources = ?7, state = ?8, archived_by = ?9, corroborations = ?10, confidence = ?11, superseded_by = ?12, \
     contested_with = ?13, ended = ?14, last_corroborated_at = ?15, touched_at = ?16 WHERE npc = ?1 AND id = ?2";

/// Leaves out of all memories what [`insert`] leaves out, after rows that say all of it.
pub(crate) const LEAVE_OUT: &str = "UPDATE memory SET last_at = nullif(last_at, at), touched_at = nullif(touched_at, at), \
     actors = nullif(actors, '[]'), tags = nullif(tags, '[]'), sources = nullif(sources, '[]'), \
     contested_with = nullif(contested_with, '[]'), ended = nullif(ended, '[]'), night = nullif(night, \
     (SELECT w.label FROM night AS w WHERE w.npc = memory.npc AND w.version = memory.version))";

/// Saves those columns whole, so that undoing version `?3` can restore them.
pub(crate) const SAVE_PRIOR: &str = "INSERT INTO prior (npc, version, id, last_at, importance, pinned, tags, \
     sources, state, archived_by, corroborations, confidence, superseded_by, contested_with, ended, \
     last_corroborated_at, touched_at) \
     SELECT npc, ?3, id, coalesce(last_at, at), importance, pinned, coalesce(tags, '[]'), coalesce(sources, '[]'), state, \
     archived_by, corroborations, confidence, superseded_by, coalesce(contested_with, '[]'), ended, last_corroborated_at, \
     coalesce(touched_at, at) FROM memory WHERE npc = ?1 AND id = ?2";

/// Restores the columns that version `?2` changed.
pub(crate) const RESTORE_PRIOR: &str = "UPDATE memory SET last_at = nullif(p.last_at, memory.at), \
     importance = p.importance, pinned = p.pinned, tags = nullif(p.tags, '[]'), sources = nullif(p.sources, '[]'), \
     state = p.state, archived_by = p.archived_by, corroborations = p.corroborations, confidence = p.confidence, \
     superseded_by = p.superseded_by, contested_with = nullif(p.contested_with, '[]'), ended = nullif(p.ended, '[]'), \
     last_corroborated_at = p.last_corroborated_at, touched_at = nullif(p.touched_at, memory.at) \
     FROM prior AS p WHERE p.npc = ?1 AND p.version = ?2 AND memory.npc = p.npc AND memory.id = p.id";

/// Returns a value that a column holds; nothing where the column would repeat what the reader knows.
fn unless<T: PartialEq>(known: &T, value: T) -> Option<T> {
    (value != *known).then_some(value)
}

/// Returns a list as JSON; nothing for an empty one.
fn list<T: Serialize>(items: &[T]) -> Result<Option<String>, StoreError> {
    if items.is_empty() { Ok(None) } else { json(&items).map(Some) }
}

/// Values of [`INSERT`], for a row that a night of this label writes.
pub(crate) fn insert<'a>(
    npc: i64,
    version: u64,
    night: &NightLabel,
    row: &'a MemoryRecord,
) -> Result<Vec<Param<'a>>, StoreError> {
    let entry = &row.entry;
    Ok(Vec::from(params![
        npc,
        version,
        entry.id.as_str(),
        Fingerprint::of(&entry.text, entry.at).to_bytes(),
        Param::Word(entry.form.as_str().into()),
        Param::Word(entry.kind.as_str().into()),
        &entry.text,
        entry.at,
        unless(&entry.at, entry.last_at),
        entry.importance.get(),
        entry.occurrences,
        list(&entry.actors)?,
        list(&entry.tags)?,
        entry.place.as_deref(),
        entry.pinned,
        entry.emotion.map(|e| e.valence),
        entry.emotion.map(|e| e.intensity),
        list(&entry.sources)?,
        row.state.as_str(),
        row.archived_by.as_deref().map(|rule| Param::Word(rule.into())),
        row.corroborations,
        Param::Word(row.confidence.as_str().into()),
        row.superseded_by.as_ref().map(MemoryId::as_str),
        list(&row.contested_with)?,
        list(&row.ended)?,
        row.last_corroborated_at,
        unless(&entry.at, row.touched_at),
        (row.night != *night).then(|| row.night.as_str()),
    ]))
}

/// Values of [`UPDATE`].
pub(crate) fn update(npc: i64, row: &MemoryRecord) -> Result<Vec<Param<'_>>, StoreError> {
    Ok(Vec::from(params![
        npc,
        row.entry.id.as_str(),
        unless(&row.entry.at, row.entry.last_at),
        row.entry.importance.get(),
        row.entry.pinned,
        list(&row.entry.tags)?,
        list(&row.entry.sources)?,
        row.state.as_str(),
        row.archived_by.as_deref().map(|rule| Param::Word(rule.into())),
        row.corroborations,
        Param::Word(row.confidence.as_str().into()),
        row.superseded_by.as_ref().map(MemoryId::as_str),
        list(&row.contested_with)?,
        list(&row.ended)?,
        row.last_corroborated_at,
        unless(&row.entry.at, row.touched_at),
    ]))
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
        archived_by: cells.word_if_any("rule of archiving")?,
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
    })
}

fn emotion(valence: Option<f32>, intensity: Option<f32>) -> Option<Emotion> {
    Some(Emotion { valence: valence?, intensity: intensity? })
}

/// Returns a name, which a database may hold as its place among the [`words`].
fn word(cell: SqlValue<'_>) -> Result<Cow<'_, str>, WrongKind> {
    match cell {
        SqlValue::Text(word) => Ok(word),
        SqlValue::Integer(place) => u64::try_from(place)
            .ok()
            .and_then(words::at)
            .map(Cow::Borrowed)
            .ok_or_else(|| WrongKind::new("a name", &SqlValue::Integer(place))),
        other => Err(WrongKind::new("a name", &other)),
    }
}

/// Serializes a value as JSON text.
pub(crate) fn json(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(StoreError::backend)
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
        let cell = self.next(what)?;
        let word = word(cell).map_err(|e| self.damaged(what, e))?;
        T::deserialize(IntoDeserializer::<value::Error>::into_deserializer(&*word))
            .map_err(|e| self.damaged(what, e))
    }

    /// Reads one of few names.
    pub(crate) fn word(&mut self, what: &'static str) -> Result<String, StoreError> {
        let cell = self.next(what)?;
        word(cell).map(Cow::into_owned).map_err(|e| self.damaged(what, e))
    }

    /// Reads one of few names, or NULL.
    pub(crate) fn word_if_any(&mut self, what: &'static str) -> Result<Option<String>, StoreError> {
        match self.next(what)? {
            SqlValue::Null => Ok(None),
            cell => word(cell).map(|word| Some(word.into_owned())).map_err(|e| self.damaged(what, e)),
        }
    }

    /// Reads a time.
    pub(crate) fn time(&mut self, what: &'static str) -> Result<GameTime, StoreError> {
        let cell = self.next(what)?;
        self.time_of(cell, what)
    }

    /// Reads a time, or NULL.
    pub(crate) fn time_if_any(&mut self, what: &'static str) -> Result<Option<GameTime>, StoreError> {
        match self.next(what)? {
            SqlValue::Null => Ok(None),
            cell => self.time_of(cell, what).map(Some),
        }
    }

    fn time_of(&self, cell: SqlValue<'_>, what: &'static str) -> Result<GameTime, StoreError> {
        match cell {
            SqlValue::Text(text) => text.parse().map_err(|e| self.damaged(what, e)),
            // A number, where the database has numbers for times.
            SqlValue::Integer(number) => GameTime::from_number(number)
                .ok_or_else(|| self.damaged(what, WrongKind::new("a time", &SqlValue::Integer(number)))),
            other => Err(self.damaged(what, WrongKind::new("a time", &other))),
        }
    }

    /// Reads JSON text.
    pub(crate) fn json<T: DeserializeOwned>(&mut self, what: &'static str) -> Result<T, StoreError> {
        self.with(what, |text: String| serde_json::from_str(&text))
    }

    /// Reads a reason from its bytes, or from JSON, as stores up to format 7 have it.
    pub(crate) fn reason(&mut self, what: &'static str) -> Result<Reason, StoreError> {
        match self.next(what)? {
            SqlValue::Blob(bytes) => packed::reason::from_bytes(bytes).map_err(|e| self.damaged(what, e)),
            SqlValue::Text(text) => serde_json::from_str(&text).map_err(|e| self.damaged(what, e)),
            other => Err(self.damaged(what, WrongKind::new("bytes", &other))),
        }
    }

    /// Reads the last nights of a theme from their bytes, or from JSON, as stores up to format 7 have them.
    pub(crate) fn nights_seen(&mut self, what: &'static str) -> Result<Vec<ThemeSeen>, StoreError> {
        match self.next(what)? {
            SqlValue::Blob(bytes) => packed::seen::from_bytes(bytes).map_err(|e| self.damaged(what, e)),
            SqlValue::Text(text) => serde_json::from_str(&text).map_err(|e| self.damaged(what, e)),
            other => Err(self.damaged(what, WrongKind::new("bytes", &other))),
        }
    }

    /// Reads a vector from its bytes.
    pub(crate) fn vector(&mut self, what: &'static str) -> Result<Vector, StoreError> {
        match self.next(what)? {
            SqlValue::Blob(bytes) => Vector::from_packed(bytes).map_err(|e| self.damaged(what, e)),
            other => Err(self.damaged(what, WrongKind::new("bytes", &other))),
        }
    }

    /// Reads a vector from its bytes, or NULL.
    pub(crate) fn vector_if_any(&mut self, what: &'static str) -> Result<Option<Vector>, StoreError> {
        match self.next(what)? {
            SqlValue::Null => Ok(None),
            SqlValue::Blob(bytes) => Vector::from_packed(bytes).map(Some).map_err(|e| self.damaged(what, e)),
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
