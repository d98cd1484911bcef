//! Export and import of a store as lines. The random histories in `model` show that nothing is lost.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{collections::BTreeSet, io::BufReader, sync::LazyLock};

use nightfold_memory::{GameTime, MemoryReader, MemoryStore, ModelId};
use nightfold_store::{
    DurableStore as _, ExportError, ImportError, ImportOptions, ImportProblem, SqliteStore,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use support::{Story, all_of, exported, id, imported, npc, vector};

/// Makes a store with rows in every table.
fn store_with_every_table(folder: &tempfile::TempDir) -> SqliteStore {
    let store = SqliteStore::open(folder.path().join("lived.db")).unwrap();
    let apply = |story: Story| {
        let run = store.begin_run().unwrap();
        store.apply(run, &[story.0]).unwrap().pop().unwrap().unwrap();
    };
    let mara = |night: &str| Story::on(&store, "Mara", night);
    apply(mara("one").store("a").store("b").prune("c").chunk("told", &["d", "e"]).theme("the mill"));
    apply(mara("two").store("f").supersede("a", &["f"]).corroborate("b", &["g"], 1));
    apply(mara("three").restore("a", Some(vector("later"))).reflect("x", &["b"]).theme("the fair"));
    apply(mara("four").unite("told", &["b"], &["x"]).contest("f", &["a"]).end("f", "heard", &["a"]));
    let mut tagged = Story::on(&store, "Ana", "one").store("a");
    tagged.0.npc_tags = vec!["castle \"wall\"".to_owned(), "guard".to_owned()];
    apply(tagged);
    let at = "1204-06-01T00:00:00Z".parse::<GameTime>().unwrap();
    assert_eq!(store.touch(&npc("Mara"), &[id("f")], at).unwrap(), 1);
    assert!(!store.purge(&npc("Mara"), 3).unwrap().is_empty());
    store
}

fn refused(lines: &[u8]) -> ImportError {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.db");
    let error = imported(&path, lines).unwrap_err();
    let store = SqliteStore::open_existing(&path).unwrap();
    assert!(store.nights(None).unwrap().is_empty() && store.npcs().unwrap().is_empty(), "{error}");
    assert_eq!((store.model().unwrap(), store.begin_run().unwrap()), (None, 1), "{error}");
    error
}

/// Replaces these words once, and updates the checksum.
fn edited(lines: &[u8], old: &str, new: &str) -> Vec<u8> {
    let text = std::str::from_utf8(lines).unwrap();
    assert!(text.contains(old), "{old} is not in {text}");
    let text = text.replacen(old, new, 1);
    let (body, _) = text.trim_end().rsplit_once('\n').unwrap();
    let body = format!("{body}\n");
    let sum: String = Sha256::digest(&body).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{body}{{\"sha256\":\"{sum}\"}}\n").into_bytes()
}

#[test]
fn export_and_import_preserve_every_table() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with_every_table(&folder);
    let lines = exported(&store, None);
    let text = String::from_utf8(lines.clone()).unwrap();
    for table in ["npc", "night", "memory", "prior", "vector", "edge", "prior_edge", "log", "theme", "gone"] {
        assert!(text.contains(&format!("\n{{\"{table}\":")), "{table} has rows");
    }
    let again = imported(&folder.path().join("again.db"), &lines).unwrap();
    assert!(exported(&again, None) == lines);
    assert_eq!(all_of(&again), all_of(&store));
    assert_eq!(again.begin_run().unwrap(), store.begin_run().unwrap());
}

#[test]
fn empty_store_is_exported_and_imported() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("empty.db")).unwrap();
    let lines = exported(&store, None);
    assert_eq!(String::from_utf8(lines.clone()).unwrap().lines().count(), 2);
    assert!(exported(&imported(&folder.path().join("again.db"), &lines).unwrap(), None) == lines);
}

#[test]
fn truncated_export_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let lines = exported(&store_with_every_table(&folder), None);
    let ends = lines.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
    // Between lines, before the end of a line, and within one.
    let cuts: Vec<usize> = ends.flat_map(|end| [end.saturating_sub(9), end, end + 1]).collect();
    for cut in cuts.into_iter().filter(|cut| *cut < lines.len()).chain([0]) {
        let error = refused(&lines[..cut]);
        assert!(matches!(error.problem, ImportProblem::CutShort), "{cut}: {error}");
    }
}

#[test]
fn changed_byte_is_detected_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let lines = exported(&store_with_every_table(&folder), None);
    for at in (0..lines.len() - 1).step_by(97) {
        let mut changed = lines.clone();
        changed[at] = if changed[at] == b'7' { b'8' } else { b'7' };
        let error = refused(&changed);
        assert!(error.line >= 1 && error.column >= 1, "{error}");
    }
}

const ONE_SIDED: &str = "an entry is contested with one that is not active, or not contested with it";

#[test]
fn edit_with_a_valid_checksum_is_refused_at_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let lines = exported(&store_with_every_table(&folder), None);
    let told = |old: &str, new: &str| refused(&edited(&lines, old, new)).to_string();
    for (old, new, expected) in [
        ("\"version\":1,", "\"version\":2,", "1:1: the format of the export is 2; this program reads 1"),
        (
            "\"store_format\":1",
            "\"store_format\":2",
            "1:1: the format of the store is 2; this program reads 1",
        ),
        (
            "nightfold-store",
            "letters",
            "1:1: this is no export of a store: its first line names the format \"letters\"",
        ),
        ("\"gone\":", "\"gane\":", "and the first line tells of"),
        ("\"importance\":7", "\"importance\":11", "importance 11 is out of range"),
        ("\"kind\":\"chat\"", "\"kind\":\"dream\"", "unknown variant `dream`"),
        ("\"numbers\":[", "\"numbers\":[true,", "field `numbers`: invalid float"),
        ("\"place\":", "\"colour\":", "unknown field `colour`"),
        (
            "{\"memory\":{\"npc\":\"Ana\"",
            "{\"memory\":{\"npc\":\"Tom\"",
            "there was no line `npc` of \"Tom\" before",
        ),
        ("\"valence\":null", "\"valence\":\"much\"", "field `valence`: invalid type"),
        ("\"actors\":[", "\"actors\":[3,", "field `actors`: invalid type"),
        ("Ana heard", "Ana herd", "field `text`: text and time are not those of the memory"),
        ("\"occurrences\":3", "\"occurrences\":0", "field `occurrences`: 0 is out of range"),
        ("\"last_at\":\"1204-05-03T21", "\"last_at\":\"1203-05-03T21", "field `last_at`: 1203"),
        ("\"valence\":-0.1", "\"valence\":-7.1", "field `valence`: -7.1"),
        ("\"valence\":-0.1", "\"valence\":null,\"x\":0.1", "unknown field"),
        (
            "\"archived_by\":null",
            "\"archived_by\":\"faded\"",
            "field `archived_by`: no rule archived an active entry",
        ),
        (
            r#""text":"heard""#,
            r#""text":"herd""#,
            "field `ended`: the text does not state a position that ended",
        ),
        (r#""text":"heard""#, r#""text":"""#, "field `ended`: the text does not state a position that ended"),
        (r#""by":"a""#, r#""by":"f""#, "field `ended`: an entry does not end its own position"),
        (r#""by":"a""#, r#""by":"x y z""#, "a position was ended by an entry that the store never held (f)"),
        (r#""contested_with":["a"]"#, r#""contested_with":[]"#, ONE_SIDED),
        (r#""contested_with":["a"]"#, r#""contested_with":["a","nowhere"]"#, ONE_SIDED),
        (r#""contested_with":["a"]"#, r#""contested_with":["a","b"]"#, ONE_SIDED),
        ("\"members\":[\"", "\"members\":[],\"x\":[\"", "unknown field"),
        ("\"nights\":1", "\"nights\":0", "field `nights`: 0 is out of range"),
        ("\"verb\":\"store\"", "\"verb\":\"stare\"", "field `verb`: this is no verb of a change"),
        (
            "\"base_version\":0",
            "\"base_version\":5",
            "a night was not planned against the state that the night before it left",
        ),
    ] {
        let error = told(old, new);
        assert!(error.contains(expected), "{old}: {error}");
    }
    // Rows that are right one by one and not together.
    let text = std::str::from_utf8(&lines).unwrap();
    let vector = text.lines().find(|line| line.starts_with("{\"vector\":{\"npc\":\"Ana\"")).unwrap();
    let vectors = text.lines().filter(|line| line.starts_with("{\"vector\"")).count();
    let without = text.replacen(&format!("{vector}\n"), "", 1);
    let counted =
        without.replacen(&format!("\"vector\":{vectors}"), &format!("\"vector\":{}", vectors - 1), 1);
    let error = refused(&edited(counted.as_bytes(), "format", "format")).to_string();
    assert!(error.contains("an active entry has no vector (a)"), "{error}");
    let error = refused(&edited(without.as_bytes(), "format", "format")).to_string();
    assert!(error.contains("rows of `vector`"), "{error}");
}

#[test]
fn import_requires_an_empty_store_and_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with_every_table(&folder);
    let lines = exported(&store, None);
    let before = all_of(&store);
    let error = store.import(&mut &lines[..], &ImportOptions::default()).unwrap_err();
    assert!(matches!(error.problem, ImportProblem::NotEmpty), "{error}");
    assert_eq!(all_of(&store), before);
    let new = SqliteStore::open(folder.path().join("new.db")).unwrap();
    let other = Some(ModelId::new("another").unwrap());
    let error =
        new.import(&mut &lines[..], &ImportOptions { model: other, ..ImportOptions::default() }).unwrap_err();
    assert_eq!(error.to_string(), "1:1: the vectors are of test-model, and not of another");
    let endless = BufReader::new(std::io::repeat(b'x'));
    let error = new.import(&mut { endless }, &ImportOptions::default()).unwrap_err();
    assert!(matches!(error.problem, ImportProblem::LineTooLong), "{error}");
    let own = Some(ModelId::new("test-model").unwrap());
    let wide = ImportOptions { model: own.clone(), dimensions: Some(5) };
    let error = new.import(&mut &lines[..], &wide).unwrap_err();
    assert!(error.to_string().ends_with("a vector of 4 numbers; those of its model have 5"), "{error}");
    new.import(&mut &lines[..], &ImportOptions { model: own, ..ImportOptions::default() }).unwrap();
    assert_eq!(all_of(&new), before);
}

#[test]
fn closed_output_ends_an_export() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let error = store_with_every_table(&folder).export(None, &mut Full).unwrap_err();
    assert!(matches!(error, ExportError::Write(e) if e.kind() == std::io::ErrorKind::BrokenPipe));
}

/// Returns another value in place of this one; `pick` says which.
fn other_value(value: &Value, pick: usize) -> Value {
    match value {
        Value::Number(number) => {
            let n = number.as_i64().unwrap_or_default();
            json!([0, 1, -1, 11, n + 1, 1_i64 << 32][pick % 6])
        }
        Value::Bool(is) => json!(!is),
        Value::String(text) => match pick % 5 {
            0 => json!(""),
            1 => json!(format!("{text}x")),
            2 => json!("a"),
            3 => json!("[]"),
            _ => json!("9.5"),
        },
        _ => [json!("a"), json!(3)][pick % 2].clone(),
    }
}

/// Changes one field of one line, and updates the checksum.
fn mutated(lines: &[u8], line: usize, field: usize, pick: usize) -> Vec<u8> {
    let text = std::str::from_utf8(lines).unwrap();
    let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
    // The first line tells of the others, and the last one has the checksum.
    let line = 1 + line % (rows.len() - 2);
    let mut row: Value = serde_json::from_str(&rows[line]).unwrap();
    let fields = row.as_object_mut().unwrap().values_mut().next().unwrap().as_object_mut().unwrap();
    let field = field % fields.len();
    let value = fields.values_mut().nth(field).unwrap();
    *value = other_value(value, pick);
    rows[line] = row.to_string();
    edited(format!("{}\n", rows.join("\n")).as_bytes(), "format", "format")
}

/// Returns the rows of an export as values, in any order.
fn rows_of(lines: &[u8]) -> BTreeSet<String> {
    let text = std::str::from_utf8(lines).unwrap();
    let body = text.lines().filter(|line| !line.contains("\"sha256\"") && !line.contains("\"format\""));
    body.map(|line| serde_json::from_str::<Value>(line).unwrap().to_string()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn changed_field_is_refused_or_kept_as_it_is(line in 0_usize..200, field in 0_usize..40, pick in 0_usize..60) {
        let lines = EVERY_TABLE.as_slice();
        let changed = mutated(lines, line, field, pick);
        let store = SqliteStore::in_memory().unwrap();
        if store.import(&mut changed.as_slice(), &ImportOptions::default()).is_ok() {
            let (kept, given) = (rows_of(&exported(&store, None)), rows_of(&changed));
            let differing: Vec<&String> = kept.symmetric_difference(&given).collect();
            prop_assert!(differing.is_empty(), "{:?}", differing);
        } else {
            prop_assert!(store.npcs().unwrap().is_empty());
        }
    }
}

/// Export of a store with rows in every table.
static EVERY_TABLE: LazyLock<Vec<u8>> =
    LazyLock::new(|| exported(&store_with_every_table(&tempfile::tempdir().unwrap()), None));
