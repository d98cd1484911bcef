//! Tables of an export: their columns, and a row as a line of JSON.

use std::{collections::BTreeMap, error::Error, io::Write as _, iter, str::FromStr};

use nightfold_memory::{
    Change, Confidence, EndedPosition, Fingerprint, GameTime, Importance, Kind as MemoryKind, MemoryId,
    NightLabel, NpcId, Reason, RecordKind, Sketch, State, StoreError, ThemeId, ThemeSeen, Vector,
    soundness::{EndedClaims, EntryClaims, FieldError, StateClaims, ThemeClaims, VectorLength},
};
use serde::{
    Deserialize,
    de::{DeserializeOwned, IntoDeserializer, value::Error as NameError},
};
use serde_json::value::RawValue;

use super::super::{
    row::{Cells, time_of},
    value::{FromCell as _, Row, SqlValue, WrongKind},
};

type Fault = Box<dyn Error + Send + Sync>;

/// Kind of the values of a column: how a row holds them, and how a line does.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// A text that passes a check; a string.
    Text(fn(&str) -> Result<(), Fault>),
    /// JSON that passes a check; part of the line, letter for letter.
    Json(fn(&str) -> Result<(), Fault>),
    /// A whole number that passes a check.
    Whole(fn(i64) -> Result<(), Fault>),
    /// A game time; a string for a date, a number for seconds.
    Time,
    /// A flag.
    Flag,
    /// A real number: the shortest digits that read back as the same.
    Real,
    /// A vector; a list of such numbers.
    Vector,
    /// A fingerprint; a string of hex digits.
    Fingerprint,
    /// A sketch; a string of base64.
    Sketch,
}

/// A column of a table, and a field of its lines.
#[derive(Clone, Copy)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    kind: Kind,
    /// True if it may be `null`.
    optional: bool,
}

/// A table of an export; each row is a line.
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// Order of the rows in an export.
    order: &'static str,
    /// The columns that are written once, but for the first, which is the NPC.
    columns: &'static [Column],
    /// The columns after them, which later nights change.
    changing: &'static [Column],
}

/// A field that is missing, holds a value of another kind, or contradicts others.
pub(super) struct RowFault {
    pub(super) field: &'static str,
    pub(super) source: Fault,
}

impl From<FieldError> for RowFault {
    fn from(error: FieldError) -> Self {
        Self { field: error.field, source: error.problem.into() }
    }
}

impl From<StoreError> for RowFault {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Damaged { what, source, .. } => Self { field: what, source },
            other => Self { field: "npc", source: other.into() },
        }
    }
}

#[allow(clippy::unnecessary_wraps, reason = "one of the checks of a text")]
fn any(_: &str) -> Result<(), Fault> {
    Ok(())
}

fn parses<T: FromStr<Err: Into<Fault>>>(text: &str) -> Result<(), Fault> {
    text.parse::<T>().map(drop).map_err(Into::into)
}

fn names<T: DeserializeOwned>(text: &str) -> Result<(), Fault> {
    T::deserialize(IntoDeserializer::<NameError>::into_deserializer(text)).map(drop).map_err(Into::into)
}

fn verb(text: &str) -> Result<(), Fault> {
    if Change::VERBS.contains(&text) { Ok(()) } else { Err("this is no verb of a change".into()) }
}

fn holds<T: DeserializeOwned>(json: &str) -> Result<(), Fault> {
    serde_json::from_str::<T>(json).map(drop).map_err(Into::into)
}

fn fits<T: TryFrom<i64, Error: Into<Fault>>>(number: i64) -> Result<(), Fault> {
    T::try_from(number).map(drop).map_err(Into::into)
}

fn importance(number: i64) -> Result<(), Fault> {
    Importance::new(u8::try_from(number)?).map(drop).map_err(Into::into)
}

const fn column(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, optional: false }
}

const fn optional(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, optional: true }
}

const fn table(name: &'static str, order: &'static str, columns: &'static [Column]) -> Table {
    Table { name, order, columns, changing: &[] }
}

const ID: Kind = Kind::Text(parses::<MemoryId>);
const LABEL: Kind = Kind::Text(parses::<NightLabel>);
const NUMBER: Kind = Kind::Whole(fits::<u64>);
const TEXT: Kind = Kind::Text(any);
const TEXTS: Kind = Kind::Json(holds::<Vec<String>>);
const IDS: Kind = Kind::Json(holds::<Vec<MemoryId>>);
const IMPORTANCE: Kind = Kind::Whole(importance);
const SMALL: Kind = Kind::Whole(fits::<u32>);

/// Columns of a memory that later nights change.
const CHANGING: &[Column] = &[
    column("last_at", Kind::Time),
    column("importance", IMPORTANCE),
    column("pinned", Kind::Flag),
    column("tags", TEXTS),
    column("sources", IDS),
    column("state", Kind::Text(names::<State>)),
    optional("archived_by", TEXT),
    column("corroborations", SMALL),
    column("confidence", Kind::Text(names::<Confidence>)),
    optional("superseded_by", ID),
    optional("last_corroborated_at", Kind::Time),
    column("touched_at", Kind::Time),
    column("contested_with", IDS),
    column("ended", Kind::Json(holds::<Vec<EndedPosition>>)),
];

/// All tables, each after those that its rows belong to. Rows are in the order of their ids: one may name a later one of
/// its own table, as `superseded_by` does.
pub(crate) const TABLES: &[Table] = &[
    table("npc", "n.name", &[column("version", NUMBER), optional("purged", NUMBER)]),
    table(
        "night",
        "t.seq",
        &[
            column("seq", NUMBER),
            column("version", NUMBER),
            column("base_version", NUMBER),
            column("label", LABEL),
            column("at", Kind::Time),
            column("run", NUMBER),
            column("changes", NUMBER),
            column("npc_tags", TEXTS),
        ],
    ),
    Table {
        changing: CHANGING,
        ..table(
            "memory",
            "n.name, t.id",
            &[
                column("id", ID),
                column("known", Kind::Fingerprint),
                column("version", NUMBER),
                column("night", LABEL),
                column("form", Kind::Text(names::<RecordKind>)),
                column("kind", Kind::Text(names::<MemoryKind>)),
                column("text", TEXT),
                column("at", Kind::Time),
                column("occurrences", SMALL),
                column("actors", TEXTS),
                optional("place", TEXT),
                optional("valence", Kind::Real),
                optional("intensity", Kind::Real),
                optional("sketch", Kind::Sketch),
                column("recalls", SMALL),
                optional("recalled_at", Kind::Time),
            ],
        )
    },
    Table {
        changing: CHANGING,
        ..table("prior", "n.name, t.version, t.id", &[column("version", NUMBER), column("id", ID)])
    },
    table(
        "vector",
        "n.name, t.id",
        &[column("id", ID), column("numbers", Kind::Vector), optional("version", NUMBER)],
    ),
    table(
        "edge",
        "n.name, t.derived, t.source",
        &[column("derived", ID), column("source", ID), column("version", NUMBER)],
    ),
    table(
        "prior_edge",
        "n.name, t.version, t.derived, t.source",
        &[column("version", NUMBER), column("derived", ID), column("source", ID), column("drawn", NUMBER)],
    ),
    table(
        "log",
        "n.name, t.version, t.ord",
        &[
            column("version", NUMBER),
            column("ord", NUMBER),
            column("verb", Kind::Text(verb)),
            column("id", ID),
            column("reason", Kind::Json(holds::<Reason>)),
        ],
    ),
    table(
        "theme",
        "n.name, t.id, t.seq",
        &[
            column("id", Kind::Text(parses::<ThemeId>)),
            column("seq", NUMBER),
            column("members", Kind::Json(holds::<Vec<MemoryId>>)),
            column("importance", Kind::Real),
            column("new", Kind::Flag),
            column("words", TEXTS),
            column("centre", Kind::Vector),
            column("memories", NUMBER),
            column("nights", NUMBER),
            column("first_at", Kind::Time),
            column("last_at", Kind::Time),
            column("recent", Kind::Json(holds::<Vec<ThemeSeen>>)),
        ],
    ),
    table("gone", "n.name, t.id", &[column("id", ID), column("known", Kind::Fingerprint)]),
];

/// Column of the NPC's name, the first of every row.
const NPC: Column = column("npc", Kind::Text(parses::<NpcId>));

impl Table {
    /// Returns all columns, in order.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &Column> {
        iter::once(&NPC).chain(self.own())
    }

    /// Returns all columns but the first.
    fn own(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().chain(self.changing)
    }

    /// Returns the query of the rows in the order of the export; only those of one NPC if a name is bound.
    pub(crate) fn select(&self) -> String {
        let columns: String = self.own().map(|column| format!(", t.{}", column.name)).collect();
        let key = if self.name == "npc" { "key" } else { "npc" };
        format!(
            "SELECT n.name{columns} FROM {} AS t JOIN npc AS n ON n.key = t.{key} \
             WHERE CAST(?1 AS text) IS NULL OR n.name = ?1 ORDER BY {}",
            self.name, self.order
        )
    }

    /// Returns the statement that inserts a row: with the name of an NPC into `npc`, with its key into all others.
    pub(super) fn insert(&self) -> String {
        let columns: String = self.own().map(|column| format!(", {}", column.name)).collect();
        let npc = if self.name == "npc" { "name" } else { "npc" };
        let marks = ", ?".repeat(self.own().count());
        format!("INSERT INTO {} ({npc}{columns}) VALUES (?{marks})", self.name)
    }

    /// Returns a row as a line of JSON, with its line end.
    ///
    /// # Errors
    /// [`RowFault`] names a value that is damaged, or cannot be true.
    pub(super) fn line(&self, row: &dyn Row, length: &mut VectorLength) -> Result<Vec<u8>, RowFault> {
        let mut line = format!("{{\"{}\":", self.name).into_bytes();
        for (i, column) in self.fields().enumerate() {
            line.push(if i == 0 { b'{' } else { b',' });
            line.extend_from_slice(format!("\"{}\":", column.name).as_bytes());
            let value = row.value(i).map_err(|source| RowFault { field: column.name, source })?;
            column.write(value, &mut line).map_err(|source| RowFault { field: column.name, source })?;
        }
        line.extend_from_slice(b"}}\n");
        self.check(row, length)?;
        Ok(line)
    }

    /// Checks the values of a row against each other; `length` is that of the vectors of the rows before.
    ///
    /// # Errors
    /// [`RowFault`] names the first value that cannot be true.
    pub(super) fn check(&self, row: &dyn Row, length: &mut VectorLength) -> Result<(), RowFault> {
        let at = |name: &str| {
            Cells::at(row, self.fields().position(|column| column.name == name).unwrap_or_default())
        };
        let has = |name: &'static str| Ok::<_, StoreError>(at(name).get::<Option<String>>(name)?.is_some());
        let state = || {
            Ok::<_, RowFault>(StateClaims {
                state: at("state").named("state")?,
                has_archived_by: has("archived_by")?,
                has_successor: has("superseded_by")?,
            })
        };
        match self.name {
            "memory" => {
                let text: String = at("text").get("text")?;
                EntryClaims {
                    text: &text,
                    at: at("at").time("at")?,
                    last_at: at("last_at").time("last_at")?,
                    occurrences: at("occurrences").get("occurrences")?,
                    valence: at("valence").get("valence")?,
                    intensity: at("intensity").get("intensity")?,
                    known: Some(Fingerprint::from_bytes(at("known").get("known")?)),
                }
                .check()?;
                state()?.check()?;
                let ended: Vec<EndedPosition> = at("ended").json("ended")?;
                EndedClaims { id: &at("id").parsed("id")?, text: &text, ended: &ended }.check()?;
            }
            "prior" => state()?.check()?,
            "vector" => length.check("numbers", &at("numbers").vector("numbers")?)?,
            "theme" => {
                ThemeClaims {
                    memories: at("memories").get("memories")?,
                    nights: at("nights").get("nights")?,
                    recent: at("recent").json::<Vec<ThemeSeen>>("recent")?.len(),
                    members: at("members").json::<Vec<MemoryId>>("members")?.len(),
                    importance: at("importance").get("importance")?,
                    first_at: at("first_at").time("first_at")?,
                    last_at: at("last_at").time("last_at")?,
                }
                .check()?;
                length.check("centre", &at("centre").vector("centre")?)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the name of the NPC of a row that [`params`](Self::params) returned.
    pub(super) fn npc<'a>(row: &'a [SqlValue<'_>]) -> &'a str {
        match row.first() {
            Some(SqlValue::Text(name)) => name,
            _ => "",
        }
    }

    /// Reads the fields of a line, in the order of the columns.
    ///
    /// # Errors
    /// [`RowFault`] names a field that is missing, unknown, or of another kind.
    pub(super) fn params(
        &self,
        fields: &BTreeMap<String, &RawValue>,
    ) -> Result<Vec<SqlValue<'static>>, RowFault> {
        if let Some(unknown) = fields.keys().find(|name| self.fields().all(|column| column.name != **name)) {
            return Err(RowFault { field: self.name, source: format!("unknown field `{unknown}`").into() });
        }
        let param = |column: &Column| {
            let raw = fields.get(column.name).ok_or_else(|| Fault::from("it is missing"));
            raw.and_then(|raw| column.param(raw.get()))
                .map_err(|source| RowFault { field: column.name, source })
        };
        self.fields().map(param).collect()
    }
}

impl Column {
    /// Writes a value of a row as JSON.
    fn write(&self, value: SqlValue<'_>, line: &mut Vec<u8>) -> Result<(), Fault> {
        match (self.kind, value) {
            (_, SqlValue::Null) if self.optional => line.extend_from_slice(b"null"),
            (Kind::Text(check), SqlValue::Text(text)) => {
                check(&text)?;
                serde_json::to_writer(line, &*text)?;
            }
            (Kind::Json(check), SqlValue::Text(json)) => {
                check(&json)?;
                if json.contains('\n') {
                    return Err("JSON of several lines".into());
                }
                line.extend_from_slice(json.as_bytes());
            }
            (Kind::Whole(check), SqlValue::Integer(number)) => {
                check(number)?;
                write!(line, "{number}")?;
            }
            (Kind::Time, SqlValue::Integer(number)) => serde_json::to_writer(line, &time_of(number)?)?,
            (Kind::Flag, value) => write!(line, "{}", bool::from_cell(value)?)?,
            (Kind::Real, value) => {
                let number = f64::from_cell(value)?;
                if !number.is_finite() {
                    return Err(format!("{number} is no finite number").into());
                }
                write!(line, "{number}")?;
            }
            (Kind::Vector, SqlValue::Blob(bytes)) => {
                for (i, number) in Vector::from_packed(&bytes)?.as_slice().iter().enumerate() {
                    write!(line, "{}{number}", if i == 0 { '[' } else { ',' })?;
                }
                line.push(b']');
            }
            (Kind::Fingerprint, SqlValue::Blob(bytes)) => {
                serde_json::to_writer(line, &Fingerprint::from_bytes(bytes.as_ref().try_into()?))?;
            }
            (Kind::Sketch, SqlValue::Blob(bytes)) => {
                serde_json::to_writer(line, &Sketch::from_bytes(bytes).ok_or("a sketch of no bytes")?)?;
            }
            (_, other) => return Err(WrongKind::new("another value", &other).into()),
        }
        Ok(())
    }

    /// Reads a value of a line.
    fn param(&self, json: &str) -> Result<SqlValue<'static>, Fault> {
        fn read<'de, T: Deserialize<'de>>(json: &'de str) -> Result<T, Fault> {
            serde_json::from_str(json).map_err(|error| {
                let text = error.to_string();
                // The place that follows is one in this value.
                text.rsplit_once(" at line ").map_or(&*text, |(text, _)| text).into()
            })
        }
        Ok(match self.kind {
            _ if json == "null" && self.optional => SqlValue::Null,
            Kind::Text(check) => {
                let text: String = read(json)?;
                check(&text)?;
                text.into()
            }
            Kind::Json(check) => {
                check(json)?;
                json.to_owned().into()
            }
            Kind::Whole(check) => {
                let number: i64 = read(json)?;
                check(number)?;
                number.into()
            }
            Kind::Time => read::<GameTime>(json)?.into(),
            Kind::Flag => read::<bool>(json)?.into(),
            Kind::Real => {
                read::<f64>(json)?;
                // To the bit, as `serde_json` does not.
                json.parse::<f64>()?.into()
            }
            Kind::Vector => {
                let mut bytes = Vec::new();
                for number in read::<Vec<&RawValue>>(json)? {
                    bytes.extend_from_slice(&number.get().parse::<f32>()?.to_le_bytes());
                }
                Vector::from_bytes(&bytes)?.to_packed().into()
            }
            Kind::Fingerprint => read::<Fingerprint>(json)?.to_bytes().into(),
            Kind::Sketch => read::<Sketch>(json)?.as_bytes().to_vec().into(),
        })
    }
}

impl Row for Vec<SqlValue<'_>> {
    fn value(&self, column: usize) -> Result<SqlValue<'_>, Fault> {
        Ok(self.get(column).cloned().unwrap_or(SqlValue::Null))
    }
}

/// Returns the schema of the lines of rows.
#[cfg(feature = "schema")]
pub(super) fn line_schemas() -> impl Iterator<Item = schemars::Schema> {
    use serde_json::json;
    let of_column = |column: &Column| {
        let mut kind = match column.kind {
            Kind::Text(_) => json!({"type": "string"}),
            Kind::Json(_) => json!({"type": ["array", "object"]}),
            Kind::Whole(_) => json!({"type": "integer"}),
            Kind::Time => json!({"type": ["string", "integer"]}),
            Kind::Flag => json!({"type": "boolean"}),
            Kind::Real => json!({"type": "number"}),
            Kind::Vector => json!({"type": "array", "items": {"type": "number"}}),
            Kind::Fingerprint => json!({"type": "string", "pattern": "^[0-9a-f]{32}$"}),
            Kind::Sketch => json!({"type": "string", "minLength": 4}),
        };
        if column.optional {
            kind = json!({"anyOf": [kind, {"type": "null"}]});
        }
        (column.name.to_owned(), kind)
    };
    TABLES.iter().map(move |table| {
        let properties: serde_json::Map<String, serde_json::Value> = table.fields().map(of_column).collect();
        let required: Vec<&str> = table.fields().map(|column| column.name).collect();
        let row = json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false
        });
        schemars::json_schema!({
            "type": "object", "properties": {table.name: row}, "required": [table.name], "additionalProperties": false
        })
    })
}
