//! Entries of long-term memory as one flat table for other programs. It is not read back.

use std::io::{self, Write};

use nightfold_memory::{GameTime, MemoryId, MemoryRecord};
use parquet::errors::Result;

use super::{
    schema::{self, Field, Holds},
    write::{CellValue, Columns, Leaf},
};

/// The columns, in the order of [`values`].
const FIELDS: &[Field] = &[
    required("npc", Holds::Text),
    required("id", Holds::Text),
    required("text", Holds::Text),
    required("form", Holds::Text),
    required("kind", Holds::Text),
    required("state", Holds::Text),
    optional("archived_by", Holds::Text),
    optional("superseded_by", Holds::Text),
    required("contested_with", Holds::Texts),
    required("ended", Holds::Texts),
    required("importance", Holds::Whole),
    required("pinned", Holds::Flag),
    required("occurrences", Holds::Whole),
    required("corroborations", Holds::Whole),
    required("confidence", Holds::Text),
    required("recalls", Holds::Whole),
    required("night", Holds::Text),
    required("at", Holds::Text),
    required("last_at", Holds::Text),
    required("touched_at", Holds::Text),
    optional("last_corroborated_at", Holds::Text),
    optional("recalled_at", Holds::Text),
    required("at_seconds", Holds::Whole),
    required("last_at_seconds", Holds::Whole),
    optional("place", Holds::Text),
    optional("valence", Holds::Real),
    optional("intensity", Holds::Real),
    required("actors", Holds::Texts),
    required("tags", Holds::Texts),
    required("sources", Holds::Texts),
    optional("vector", Holds::Vector),
];

const fn required(name: &'static str, holds: Holds) -> Field {
    Field { name, holds, optional: false }
}

const fn optional(name: &'static str, holds: Holds) -> Field {
    Field { name, holds, optional: true }
}

fn values(memory: &MemoryRecord) -> [CellValue; FIELDS.len()] {
    let entry = &memory.entry;
    let text = |text: &str| CellValue::Text(text.to_owned());
    let maybe = |text: Option<String>| text.map_or(CellValue::Null, CellValue::Text);
    let time = |at: GameTime| CellValue::Text(at.to_string());
    let ids = |ids: &[MemoryId]| CellValue::Texts(ids.iter().map(MemoryId::to_string).collect());
    let feeling = |part: Option<f32>| part.map_or(CellValue::Null, |part| CellValue::Real(part.into()));
    [
        text(memory.npc.as_str()),
        text(entry.id.as_str()),
        text(&entry.text),
        text(entry.form.as_str()),
        text(entry.kind.as_str()),
        text(memory.state.as_str()),
        maybe(memory.archived_by.clone()),
        maybe(memory.superseded_by.as_ref().map(MemoryId::to_string)),
        ids(&memory.contested_with),
        CellValue::Texts(memory.ended.iter().map(|ended| ended.text.clone()).collect()),
        CellValue::Whole(entry.importance.get().into()),
        CellValue::Flag(entry.pinned),
        CellValue::Whole(entry.occurrences.into()),
        CellValue::Whole(memory.corroborations.into()),
        text(memory.confidence.as_str()),
        CellValue::Whole(memory.recalls.into()),
        text(memory.night.as_str()),
        time(entry.at),
        time(entry.last_at),
        time(memory.touched_at),
        maybe(memory.last_corroborated_at.map(|at| at.to_string())),
        maybe(memory.recalled_at.map(|at| at.to_string())),
        CellValue::Whole(entry.at.seconds()),
        CellValue::Whole(entry.last_at.seconds()),
        maybe(entry.place.clone()),
        feeling(entry.emotion.map(|emotion| emotion.valence)),
        feeling(entry.emotion.map(|emotion| emotion.intensity)),
        CellValue::Texts(entry.actors.clone()),
        CellValue::Texts(entry.tags.clone()),
        ids(&entry.sources),
        entry.vector.as_ref().map_or(CellValue::Null, |vector| CellValue::Vector(vector.as_slice().to_vec())),
    ]
}

/// Writer of entries of long-term memory as one flat table, a row for each.
///
/// The columns have the names of the fields of [`MemoryRecord`] and of its entry, plus `at_seconds` and `last_at_seconds`;
/// of ended positions `ended` has the words.
pub struct EntryColumns<W: Write + Send>(Columns<W>);

impl<W: Write + Send> EntryColumns<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(out: W) -> io::Result<Self> {
        let declared: String = FIELDS.iter().map(Field::declared).collect();
        let leaves = FIELDS.iter().map(|field| Leaf::new(*field, false)).collect();
        let begin = || -> Result<_> { Columns::new(out, schema::parsed("entries", &declared)?, leaves) };
        Ok(Self(begin()?))
    }

    /// Writes an entry.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn push(&mut self, memory: &MemoryRecord) -> io::Result<()> {
        let Columns { leaves, waiting, .. } = &mut self.0;
        for (leaf, value) in leaves.iter_mut().zip(values(memory)) {
            // Every value is of its column: they are written side by side above.
            *waiting +=
                leaf.push(value).ok_or_else(|| io::Error::other("a value that its column does not hold"))?;
        }
        Ok(self.0.end_row()?)
    }

    /// Writes the end of the file, without which it cannot be read.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn finish(self) -> io::Result<()> {
        Ok(self.0.finish()?)
    }
}
