//! Checking a whole store: every row by itself, and rows against each other.

use std::{collections::BTreeMap, ops::ControlFlow};

use nightfold_memory::{NpcId, StoreError, effect::ShelvedNight, soundness::VectorLength};
use serde::Serialize;

use super::{
    super::{Database, DatabaseFault, Row, SqlValue, read, row::Cells, with_causes},
    TransferCounts,
    export::{of, place},
    rules,
    table::TABLES,
};

/// A problem that a check of a store found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StoreProblem {
    /// NPC with the problem; `None` if it concerns the store as a whole.
    pub npc: Option<String>,
    /// Id of the entry, the theme or the night; `None` if it is not one of a single row.
    pub id: Option<String>,
    /// Description of the problem.
    pub problem: String,
}

/// Outcome of a check of a store.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StoreCheck {
    /// Rows that were checked.
    pub checked: TransferCounts,
    /// Number of problems.
    pub found: u64,
    /// The first problems, as many as were asked for.
    pub problems: Vec<StoreProblem>,
}

impl StoreCheck {
    fn add(&mut self, most: usize, npc: Option<String>, id: Option<String>, problem: String) {
        self.found += 1;
        if self.problems.len() < most {
            self.problems.push(StoreProblem { npc, id, problem });
        }
    }
}

/// Checks the store, or the rows of one NPC, and returns up to `most` problems. Must be called in a transaction, so that all
/// rows show one state.
pub(crate) fn check(
    db: &dyn Database,
    npc: Option<&NpcId>,
    most: usize,
) -> Result<StoreCheck, DatabaseFault> {
    let mut check = StoreCheck::default();
    for problem in db.integrity(most)? {
        check.add(most, None, None, problem);
    }
    let rows = if check.found > 0 {
        db.read_damaged(&mut |db| check_rows(db, npc, most, &mut check))
    } else {
        check_rows(db, npc, most, &mut check)
    };
    let rows = rows.and_then(|()| {
        // A damaged list cannot be compared with anything: those rows come first.
        if check.found > 0 {
            return Ok(());
        }
        rules::broken(db, npc, |what, npc, id| {
            check.add(most, npc, id, what.to_owned());
            ControlFlow::Continue(())
        })
    });
    match rows {
        // Of a damaged file, what can be read was read.
        Err(fault) if check.found > 0 => {
            let told = with_causes(&StoreError::from(fault));
            check.add(most, None, None, format!("not everything could be read: {told}"));
        }
        rows => rows?,
    }
    Ok(check)
}

/// Reads every row: its values, its fingerprint, and the length of its vector.
fn check_rows(
    db: &dyn Database,
    npc: Option<&NpcId>,
    most: usize,
    check: &mut StoreCheck,
) -> Result<(), DatabaseFault> {
    let (mut rows, mut length) = (BTreeMap::new(), VectorLength::default());
    for table in TABLES {
        let mut n = 0_u64;
        db.query(&table.select(), &[of(npc)], &mut |row| {
            n += 1;
            if let Err(fault) = table.line(row, &mut length) {
                let (npc, id) = place(table, row);
                check.add(most, Some(npc), id, damage(table.name, fault.field, &*fault.source));
            }
            ControlFlow::Continue(())
        })?;
        rows.insert(table.name.to_owned(), n);
    }
    check.checked = TransferCounts::of(&rows);
    if length.0.is_some() && read::model(db)?.is_none() {
        check.add(most, None, None, "there are vectors, and their model is not named".to_owned());
    }
    check_shelved(db, npc, most, check)
}

fn check_shelved(
    db: &dyn Database,
    npc: Option<&NpcId>,
    most: usize,
    check: &mut StoreCheck,
) -> Result<(), DatabaseFault> {
    let sql =
        "SELECT npc, version, base_version, night FROM shelved WHERE CAST(?1 AS text) IS NULL OR npc = ?1
         ORDER BY npc, version";
    db.query(sql, &[of(npc)], &mut |row| {
        let problem = match shelved(row) {
            Ok(true) => None,
            Ok(false) => Some("a shelved night is not the one under whose version it is kept".to_owned()),
            Err(StoreError::Damaged { what, source, .. }) => Some(damage("shelved", what, &*source)),
            Err(error) => Some(error.to_string()),
        };
        if let Some(problem) = problem {
            let npc = row.value(0).ok().and_then(|value| match value {
                SqlValue::Text(name) => Some(name.into_owned()),
                _ => None,
            });
            check.add(most, npc, None, problem);
        }
        ControlFlow::Continue(())
    })
}

/// Reads a shelved night; returns true if it has the versions of its row.
fn shelved(row: &dyn Row) -> Result<bool, StoreError> {
    let mut cells = Cells::of(row);
    let _: String = cells.get("NPC name")?;
    let (version, base_version): (u64, u64) = (cells.get("version")?, cells.get("base version")?);
    let night: ShelvedNight = cells.json("night that was shelved")?;
    Ok(night.applied.version == version && night.applied.base_version == base_version)
}

/// Returns the description of a value that is damaged.
fn damage(table: &str, what: &str, source: &dyn std::error::Error) -> String {
    format!("damaged {what} (table `{table}`): {source}")
}
