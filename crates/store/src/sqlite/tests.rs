//! Query plans of the shared statements in SQLite, and the columns of its tables.

use std::collections::BTreeSet;

use super::{format::STEPS, open::open, options::StoreOptions};
use crate::sql::{
    FORMAT, query_all,
    read::{DERIVED, PAGE, SUPERSEDED},
    theme::{DELETE_OF_NIGHT, HISTORY, IDS_BY_LAST_NIGHT, LATEST},
    transfer::TABLES,
};

#[test]
fn format_is_that_of_all_stores() {
    assert_eq!(super::format::newest_format(STEPS), FORMAT);
}

#[test]
fn queries_use_an_index() {
    let folder = tempfile::tempdir().unwrap();
    let file = open(&folder.path().join("minds.db"), &StoreOptions::default(), STEPS).unwrap();
    let plan = |sql: &str| -> Vec<String> {
        let mut statement = file.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let steps = statement.raw_query().mapped(|row| row.get::<_, String>("detail"));
        steps.map(Result::unwrap).collect()
    };
    for (sql, expected) in [
        (DERIVED, &["SEARCH edge USING COVERING INDEX edge_from (npc=? AND source=?)"][..]),
        (SUPERSEDED, &["SEARCH memory USING COVERING INDEX memory_superseded (npc=? AND superseded_by=?)"]),
        (PAGE, &["SEARCH m USING PRIMARY KEY (npc=? AND id>?)"]),
        (IDS_BY_LAST_NIGHT, &["SEARCH theme USING COVERING INDEX theme_seen (npc=?)"]),
        (LATEST, &["SEARCH theme USING INDEX sqlite_autoindex_theme_1 (npc=? AND id=?)"]),
        (
            HISTORY,
            &[
                "SEARCH t USING INDEX sqlite_autoindex_theme_1 (npc=? AND id=?)",
                "SEARCH night USING INTEGER PRIMARY KEY (rowid=?)",
            ],
        ),
    ] {
        assert_eq!(plan(sql), expected, "nothing else is done, no sorting either");
    }
    assert!(plan(DELETE_OF_NIGHT).iter().all(|step| !step.starts_with("SCAN")));
}

#[test]
fn export_covers_every_column_of_every_table() {
    let folder = tempfile::tempdir().unwrap();
    let file = open(&folder.path().join("minds.db"), &StoreOptions::default(), STEPS).unwrap();
    let names = |sql: &str, of: &[&str]| -> BTreeSet<String> {
        query_all(&file, sql, &of.iter().map(|of| (*of).into()).collect::<Vec<_>>(), |cells| {
            cells.get("name")
        })
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
    assert_eq!(names("SELECT name FROM pragma_table_info('store')", &[]).len(), 3, "one, model, last_run");
    for table in TABLES {
        let columns = names("SELECT name FROM pragma_table_info(?1)", &[table.name]);
        let carried: BTreeSet<String> = table.fields().map(|column| column.name.to_owned()).collect();
        let mut expected = columns;
        if table.name == "npc" {
            // The name replaces the key everywhere.
            assert!(expected.remove("key") && expected.remove("name"));
            expected.insert("npc".to_owned());
        }
        assert_eq!(carried, expected, "{}", table.name);
    }
}
