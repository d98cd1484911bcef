//! The columns of a memory, and a memory as a row of them.

use nightfold_memory::{Memory, MemoryId};
use parquet::record::{Field as Found, ListAccessor as _, Row};
use serde_json::{Map, Value as Json};

use crate::parquet::{
    schema::{Field, Holds},
    write::{CellValue, Columns, Leaf},
};

/// The columns before [`EMOTION`] and after it, in the order of [`cells`]: their names are those of a memory's fields.
const FIELDS: [&[Field]; 2] = [
    &[
        required("id", Holds::Text),
        required("npc", Holds::Text),
        required("at", Holds::Text),
        required("kind", Holds::Text),
        required("text", Holds::Text),
        optional("importance", Holds::Whole),
        required("actors", Holds::Texts),
        required("tags", Holds::Texts),
        optional("npc_tags", Holds::Texts),
        required("pinned", Holds::Flag),
        optional("place", Holds::Text),
    ],
    &[required("sources", Holds::Texts), optional("vector", Holds::Vector)],
];

/// The group of columns that a memory without an emotion lacks.
const EMOTION: (&str, [Field; 2]) =
    ("emotion", [required("valence", Holds::Real), required("intensity", Holds::Real)]);

const fn required(name: &'static str, holds: Holds) -> Field {
    Field { name, holds, optional: false }
}

const fn optional(name: &'static str, holds: Holds) -> Field {
    Field { name, holds, optional: true }
}

/// Returns the fields of the file in the schema language of Parquet.
pub(super) fn declared() -> String {
    let declared = |fields: &[Field]| fields.iter().map(Field::declared).collect::<String>();
    let ([before, after], (name, parts)) = (FIELDS, EMOTION);
    format!("{}optional group {name} {{ {} }}\n{}", declared(before), declared(&parts), declared(after))
}

/// Returns the columns to be written.
pub(super) fn leaves() -> Vec<Leaf> {
    let ([before, after], (_, parts)) = (FIELDS, EMOTION);
    let leaf = |in_group| move |field: &Field| Leaf::new(*field, in_group);
    let mut leaves: Vec<Leaf> = before.iter().map(leaf(false)).collect();
    leaves.extend(parts.iter().map(leaf(true)));
    leaves.extend(after.iter().map(leaf(false)));
    leaves
}

/// Appends a memory as a row; false if a column holds values of another type.
pub(super) fn push<W: std::io::Write + Send>(memory: &Memory, columns: &mut Columns<W>) -> bool {
    let mut bytes = 0;
    let fits = columns.leaves.iter_mut().zip(cells(memory)).all(|(leaf, cell)| {
        let Some(cell) = cell else {
            leaf.absent();
            return true;
        };
        let pushed = leaf.push(cell);
        bytes += pushed.unwrap_or_default();
        pushed.is_some()
    });
    columns.waiting += bytes;
    columns.end_row_in_group();
    fits
}

/// Returns the values of a memory; none for those of a group that it lacks.
fn cells(memory: &Memory) -> [Option<CellValue>; 15] {
    let text = |text: &str| Some(CellValue::Text(text.to_owned()));
    let ids = |ids: &[MemoryId]| CellValue::Texts(ids.iter().map(MemoryId::to_string).collect());
    let or_null = |value: Option<CellValue>| Some(value.unwrap_or(CellValue::Null));
    [
        text(memory.id.as_str()),
        text(memory.npc.as_str()),
        Some(CellValue::Text(memory.at.to_string())),
        text(memory.kind.as_str()),
        text(&memory.text),
        or_null(memory.importance.map(|importance| CellValue::Whole(importance.get().into()))),
        Some(CellValue::Texts(memory.actors.clone())),
        Some(CellValue::Texts(memory.tags.clone())),
        or_null(memory.npc_tags.clone().map(CellValue::Texts)),
        Some(CellValue::Flag(memory.pinned)),
        or_null(memory.place.clone().map(CellValue::Text)),
        memory.emotion.map(|emotion| CellValue::Real(emotion.valence.into())),
        memory.emotion.map(|emotion| CellValue::Real(emotion.intensity.into())),
        Some(ids(&memory.sources)),
        or_null(memory.vector.as_ref().map(|vector| CellValue::Vector(vector.as_slice().to_vec()))),
    ]
}

/// Returns a row as the JSON of a memory; none if it has other columns.
pub(super) fn json(row: Row) -> Option<Json> {
    let mut fields = Map::new();
    for (name, found) in row.into_columns() {
        match value(found)? {
            Json::Null => {}
            value => drop(fields.insert(name, value)),
        }
    }
    Some(Json::Object(fields))
}

fn value(found: Found) -> Option<Json> {
    match found {
        Found::Null => Some(Json::Null),
        Found::Str(text) => Some(Json::String(text)),
        Found::Long(number) => Some(number.into()),
        Found::Bool(flag) => Some(flag.into()),
        Found::Double(number) => Some(number.into()),
        Found::Group(group) => json(group),
        Found::ListInternal(list) => list_items(&list),
        _ => None,
    }
}

fn list_items(list: &parquet::record::List) -> Option<Json> {
    let item = |i| {
        let text = list.get_string(i).map(|text| Json::String(text.clone()));
        text.or_else(|_| list.get_float(i).map(Json::from)).ok()
    };
    (0..list.len()).map(item).collect::<Option<Vec<_>>>().map(Json::Array)
}
