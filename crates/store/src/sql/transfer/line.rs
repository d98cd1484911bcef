//! Lines of an export: one for each row, in an order of tables in which a row comes after the rows it refers
//! to.

use nightfold_memory::{
    Confidence, EndedPosition, Fingerprint, GameTime, Importance, Kind, MemoryId, NightLabel, NpcId, Reason,
    RecordKind, State, StoreError, ThemeId, ThemeSeen,
};
use serde::{Deserialize, Serialize};

use super::{
    super::{Database, DatabaseFault, fingerprint, row::Cells},
    Column,
    cell::{Cell, EnumName, HexVector, JsonText, Real},
};

/// A table whose rows are lines.
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// Query of the table's rows in the order of the export; only those of one NPC if a name is bound.
    pub(crate) select: &'static str,
    pub(super) read: fn(&mut Cells<'_>) -> Result<Line, StoreError>,
    /// Fields of a line, in order.
    pub(crate) columns: &'static [Column],
}

macro_rules! tables {
    ($($table:ident $line:ident $order:literal { $($column:ident: $type:ty,)* })*) => {
        $(
            #[derive(Debug, Serialize, Deserialize)]
            #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
            #[serde(deny_unknown_fields)]
            pub(super) struct $line {
                pub(super) npc: NpcId,
                $(pub(super) $column: $type,)*
            }
        )*

        /// One row of any table.
        #[derive(Debug, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "snake_case")]
        pub(super) enum Line {
            $($line(Box<$line>),)*
        }

        impl Line {
            /// Index of its table in [`TABLES`].
            pub(super) fn table(&self) -> usize {
                // Tables are numbered in the order of the macro call.
                [$(matches!(self, Self::$line(_)),)*].iter().position(|is| *is).unwrap_or_default()
            }

            pub(super) fn npc(&self) -> &NpcId {
                match self {
                    $(Self::$line(row) => &row.npc,)*
                }
            }

            /// Writes the row. Only the table `npc` holds the names of NPCs; in every other table `key`
            /// replaces the name.
            pub(super) fn insert(&self, db: &dyn Database, key: Option<i64>) -> Result<(), DatabaseFault> {
                match self {
                    $(Self::$line(row) => {
                        let npc = match key {
                            Some(key) => key.into(),
                            None => row.npc.write()?,
                        };
                        let values = [npc, $(row.$column.write()?,)*];
                        db.execute(row.sql(), &values)?;
                    })*
                }
                Ok(())
            }
        }

        pub(crate) const TABLES: &[Table] = &[$(
            Table {
                name: stringify!($table),
                select: concat!(
                    "SELECT n.name", $(", t.", stringify!($column),)* " FROM ", stringify!($table),
                    " AS t JOIN npc AS n ON n.key = ", tables!(@key $table),
                    " WHERE CAST(?1 AS text) IS NULL OR n.name = ?1 ORDER BY ", $order
                ),
                read: |cells| {
                    let npc = Cell::read(cells, "NPC name")?;
                    // Evaluated as they are written: in the order of the columns.
                    Ok(Line::$line(Box::new($line { npc, $($column: Cell::read(cells, stringify!($column))?,)* })))
                },
                columns: &[
                    Column::of::<NpcId>("npc"),
                    $(Column::of::<$type>(stringify!($column)),)*
                ],
            },
        )*];

        $(
            impl $line {
                fn sql(&self) -> &'static str {
                    concat!(
                        "INSERT INTO ", stringify!($table), " (", tables!(@first $table),
                        $(", ", stringify!($column),)* ") VALUES (?", $(tables!(@mark $column),)* ")"
                    )
                }
            }
        )*
    };
    (@key npc) => { "t.key" };
    (@key $table:ident) => { "t.npc" };
    (@first npc) => { "name" };
    (@first $table:ident) => { "npc" };
    (@mark $column:ident) => { ", ?" };
}

impl Line {
    /// Checks a row against the fingerprint that was stored with it. Only memories have one.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] names the memory.
    pub(super) fn verify(&self) -> Result<(), StoreError> {
        match self {
            Self::Memory(row) => fingerprint::verify(&row.id, &row.text, row.at, row.known),
            _ => Ok(()),
        }
    }

    /// Returns the number of dimensions of the row's vector, if it has one.
    pub(super) fn dimensions(&self) -> Option<usize> {
        match self {
            Self::Vector(row) => Some(row.numbers.dimensions()),
            Self::Theme(row) => Some(row.centre.dimensions()),
            _ => None,
        }
    }
}

tables! {
    npc Npc "n.name" {
        version: u64,
        purged: Option<i64>,
    }
    night Night "t.seq" {
        seq: i64,
        version: u64,
        base_version: u64,
        label: NightLabel,
        at: GameTime,
        run: u64,
        changes: u64,
        npc_tags: JsonText<Vec<String>>,
    }
    memory Memory "n.name, t.id" {
        id: MemoryId,
        known: Fingerprint,
        version: u64,
        night: NightLabel,
        form: EnumName<RecordKind>,
        kind: EnumName<Kind>,
        text: String,
        at: GameTime,
        occurrences: u32,
        actors: JsonText<Vec<String>>,
        place: Option<String>,
        valence: Option<Real>,
        intensity: Option<Real>,
        last_at: GameTime,
        importance: Importance,
        pinned: bool,
        tags: JsonText<Vec<String>>,
        sources: JsonText<Vec<MemoryId>>,
        state: EnumName<State>,
        archived_by: Option<String>,
        corroborations: u32,
        confidence: EnumName<Confidence>,
        superseded_by: Option<MemoryId>,
        last_corroborated_at: Option<GameTime>,
        touched_at: GameTime,
        recalls: u32,
        recalled_at: Option<GameTime>,
        contested_with: JsonText<Vec<MemoryId>>,
        ended: JsonText<Vec<EndedPosition>>,
    }
    prior Prior "n.name, t.version, t.id" {
        version: u64,
        id: MemoryId,
        last_at: GameTime,
        importance: Importance,
        pinned: bool,
        tags: JsonText<Vec<String>>,
        sources: JsonText<Vec<MemoryId>>,
        state: EnumName<State>,
        archived_by: Option<String>,
        corroborations: u32,
        confidence: EnumName<Confidence>,
        superseded_by: Option<MemoryId>,
        last_corroborated_at: Option<GameTime>,
        touched_at: GameTime,
        contested_with: JsonText<Vec<MemoryId>>,
        ended: JsonText<Vec<EndedPosition>>,
    }
    vector Vector "n.name, t.id" {
        id: MemoryId,
        numbers: HexVector,
        version: Option<u64>,
    }
    edge Edge "n.name, t.derived, t.source" {
        derived: MemoryId,
        source: MemoryId,
        version: u64,
    }
    prior_edge PriorEdge "n.name, t.version, t.derived, t.source" {
        version: u64,
        derived: MemoryId,
        source: MemoryId,
        drawn: u64,
    }
    log Log "n.name, t.version, t.ord" {
        version: u64,
        ord: u64,
        verb: String,
        id: MemoryId,
        reason: JsonText<Reason>,
    }
    theme Theme "n.name, t.id, t.seq" {
        id: ThemeId,
        seq: i64,
        tonight: u64,
        importance: Real,
        new: bool,
        words: JsonText<Vec<String>>,
        centre: HexVector,
        tightness: Real,
        memories: u64,
        nights: u64,
        first_at: GameTime,
        last_at: GameTime,
        recent: JsonText<Vec<ThemeSeen>>,
    }
    gone Gone "n.name, t.id" {
        id: MemoryId,
        known: Fingerprint,
    }
}
