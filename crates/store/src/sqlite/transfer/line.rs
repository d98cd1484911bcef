//! Lines of an export: one for each row, in an order of tables in which a row comes after the rows it refers
//! to.

use nightfold_memory::{
    Confidence, Fingerprint, GameTime, Importance, Kind, MemoryId, NightLabel, NpcId, Reason, RecordKind,
    State, StoreError, ThemeId, ThemeSeen,
};
use rusqlite::{Connection, params_from_iter, types::Value};
use serde::{Deserialize, Serialize};

use super::{
    super::{fault::SqliteError, row::Cells},
    Column,
    cell::{Cell, EnumName, HexVector, JsonText, Real},
};

/// A table whose rows are lines.
pub(super) struct Table {
    pub(super) name: &'static str,
    /// Query of the table's rows in the order of the export; only those of one NPC if a name is bound.
    pub(super) select: &'static str,
    pub(super) read: fn(&mut Cells<'_, '_>) -> Result<Line, StoreError>,
    /// Fields of a line, in order.
    pub(super) columns: &'static [Column],
}

macro_rules! tables {
    ($($table:ident $line:ident $order:literal { $($column:ident: $type:ty $(= since $since:literal)?,)* })*) => {
        $(
            #[derive(Debug, Serialize, Deserialize)]
            #[serde(deny_unknown_fields)]
            pub(super) struct $line {
                pub(super) npc: NpcId,
                $(
                    $(#[doc = concat!("Written since format ", $since, ".")] #[serde(default)])?
                    $column: $type,
                )*
            }
        )*

        /// One row of any table.
        #[derive(Debug, Serialize, Deserialize)]
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
            pub(super) fn insert(&self, file: &Connection, key: Option<i64>) -> Result<(), SqliteError> {
                match self {
                    $(Self::$line(row) => {
                        let npc = match key {
                            Some(key) => Value::Integer(key),
                            None => row.npc.write()?,
                        };
                        let values = [npc, $(row.$column.write()?,)*];
                        file.prepare_cached(row.sql())?.execute(params_from_iter(values))?;
                    })*
                }
                Ok(())
            }
        }

        pub(super) const TABLES: &[Table] = &[$(
            Table {
                name: stringify!($table),
                select: concat!(
                    "SELECT n.name", $(", t.", stringify!($column),)* " FROM ", stringify!($table),
                    " AS t JOIN npc AS n ON n.key = ", tables!(@key $table),
                    " WHERE ?1 IS NULL OR n.name = ?1 ORDER BY ", $order
                ),
                read: |cells| {
                    let npc = Cell::read(cells, "NPC name")?;
                    // Evaluated as they are written: in the order of the columns.
                    Ok(Line::$line(Box::new($line { npc, $($column: Cell::read(cells, stringify!($column))?,)* })))
                },
                columns: &[
                    Column::of::<NpcId>("npc"),
                    $(Column::of::<$type>(stringify!($column))$(.since($since))?,)*
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
        npc_tags: JsonText<Vec<String>> = since 6,
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
        contested_with: JsonText<Vec<MemoryId>> = since 5,
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
        contested_with: JsonText<Vec<MemoryId>> = since 5,
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::sqlite::{
        open::{StoreOptions, open},
        read::query_all,
        schema::STEPS,
    };

    #[test]
    fn export_covers_every_column_of_every_table() {
        let folder = tempfile::tempdir().unwrap();
        let file = open(&folder.path().join("minds.db"), &StoreOptions::default(), STEPS).unwrap();
        let names = |sql: &str, of: &[&str]| -> BTreeSet<String> {
            query_all(&file, sql, params_from_iter(of), |cells| cells.get("name"))
                .unwrap()
                .into_iter()
                .collect()
        };
        let mut tables = names("SELECT name FROM sqlite_schema WHERE type = 'table'", &[]);
        // Its one row is in the first line.
        assert!(tables.remove("store"));
        // An export shows the state in force; what it could be rewound to stays in the file.
        for table in ["shelved", "save_point", "saved_version"] {
            assert!(tables.remove(table));
        }
        assert_eq!(tables, TABLES.iter().map(|table| table.name.to_owned()).collect());
        assert_eq!(
            names("SELECT name FROM pragma_table_info('store')", &[]).len(),
            3,
            "one, model, last_run"
        );
        for table in TABLES {
            let columns = names("SELECT name FROM pragma_table_info(?1)", &[table.name]);
            let (picked, _) = table.select.split_once(" FROM ").unwrap();
            let carried: BTreeSet<String> =
                picked.split(", t.").skip(1).map(str::to_owned).chain(["npc".to_owned()]).collect();
            let mut expected = columns;
            if table.name == "npc" {
                // The name replaces the key everywhere.
                assert!(expected.remove("key") && expected.remove("name"));
                expected.insert("npc".to_owned());
            }
            assert_eq!(carried, expected, "{}", table.name);
        }
    }
}
