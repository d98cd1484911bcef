//! The models of the program: listed, verified, and missed.

use crate::support::Desk;

const DAY: &str = r#"{"id":"a","npc":"Bran","at":1,"kind":"event","text":"The smith shouted at the miller"}
{"id":"b","npc":"Bran","at":2,"kind":"event","text":"Salt has become dear at the market"}
"#;

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
    desk.write("day.jsonl", DAY);
    let mut command = desk.command("sleep day.jsonl --plan plan.json --offline");
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
    assert!(!desk.path("plan.json").exists());
}

#[test]
fn night_creates_no_files_in_the_users_cache_or_home() {
    let desk = Desk::new();
    desk.write("day.jsonl", DAY);
    let listed = desk.run("models list").ok();
    let model = listed.lines().find_map(|l| l.trim().strip_prefix("at ")).expect("where the model lies");
    let output = desk
        .command("sleep day.jsonl --plan plan.json --offline")
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
