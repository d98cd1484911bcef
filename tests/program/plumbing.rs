//! Commands for single steps of a night.

use crate::support::Desk;

const TEXTS: &str = r#"{"text":"The smith shouted at the miller"}
{"text":"The miller and the smith quarrelled"}
{"text":"Salt has become dear at the market"}
{"text":"At the market the price of salt has risen"}
{"text":"The healer brewed willow bark"}
{"text":"Willow bark tea for the fever"}
"#;

#[test]
fn embed_writes_unit_vectors_in_input_order() {
    let desk = Desk::new();
    desk.write("texts.jsonl", TEXTS);
    let mut reversed: Vec<&str> = TEXTS.lines().collect();
    reversed.reverse();
    desk.write("reversed.jsonl", reversed.join("\n"));
    desk.run("embed texts.jsonl --out a.npy").ok();
    desk.run("embed reversed.jsonl --out b.npy --threads 1").ok();
    let rows = |name: &str| -> Vec<Vec<f32>> {
        let bytes = desk.read(name);
        assert_eq!(&bytes[..6], b"\x93NUMPY");
        let header = String::from_utf8_lossy(&bytes[..128]).into_owned();
        assert!(header.contains("'<f4'") && header.contains("(6, 384)"), "{header}");
        let body = &bytes[bytes.len() - 6 * 384 * 4..];
        let numbers: Vec<f32> = body.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        numbers.chunks(384).map(<[f32]>::to_vec).collect()
    };
    let (a, mut b) = (rows("a.npy"), rows("b.npy"));
    b.reverse();
    assert_eq!(a, b, "a vector depends on what it was embedded with");
    for row in a {
        let length: f32 = row.iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 1e-5);
    }
}

#[test]
fn cluster_labels_do_not_depend_on_the_order_of_the_input() {
    let desk = Desk::new();
    desk.write("texts.jsonl", TEXTS);
    let found = desk.run("cluster texts.jsonl --algorithm kmeans --k 3 --json").json();
    assert_eq!(found["labels"], serde_json::json!([2, 2, 0, 0, 1, 1]), "{found}");
    let mut reversed: Vec<&str> = TEXTS.lines().collect();
    reversed.reverse();
    desk.write("reversed.jsonl", reversed.join("\n"));
    let reversed = desk.run("cluster reversed.jsonl --algorithm kmeans --k 3 --json").json();
    assert_eq!(reversed["labels"], serde_json::json!([1, 1, 0, 0, 2, 2]));
    let one = desk.run("cluster texts.jsonl --algorithm single --json").json();
    assert_eq!(one["labels"], serde_json::json!([0, 0, 0, 0, 0, 0]));
}

#[test]
fn model_is_listed_and_verified() {
    let desk = Desk::new();
    desk.run("models fetch").ok();
    let listed = desk.run("models list").ok();
    assert!(listed.contains("all-MiniLM-L6-v2") && listed.contains("Apache-2.0"), "{listed}");
    let verified = desk.run("models verify").ok();
    assert_eq!(verified.matches("verified").count(), 3, "{verified}");
}

#[test]
fn missing_model_offline_is_reported_with_a_remedy() {
    let desk = Desk::new();
    desk.write("texts.jsonl", TEXTS);
    let mut command = desk.command("embed texts.jsonl --out a.npy --offline");
    let output = command
        .env("XDG_CACHE_HOME", desk.path("empty"))
        .env("HOME", desk.path("empty"))
        .env_remove("NIGHTFOLD_MODELS")
        .output()
        .expect("the program starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{told}");
    assert!(
        told.contains("all-MiniLM-L6-v2-fused.onnx") && told.contains("nightfold models fetch"),
        "{told}"
    );
    assert!(!desk.path("a.npy").exists());
}

#[test]
fn embedding_creates_no_files_in_the_users_cache_or_home() {
    let desk = Desk::new();
    desk.write("texts.jsonl", TEXTS);
    let listed = desk.run("models list").ok();
    let model = listed.lines().find_map(|l| l.trim().strip_prefix("at ")).expect("where the model lies");
    let output = desk
        .command("embed texts.jsonl --out a.npy --offline")
        .env("NIGHTFOLD_MODELS", std::path::Path::new(model).parent().expect("a folder"))
        .env("XDG_CACHE_HOME", desk.path("cache"))
        .env("HOME", desk.path("home"))
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // Newer runtimes leave a device id and a database of events there.
    assert!(!desk.path("cache").join("Microsoft").exists());
    assert!(!desk.path("home").exists());
}
