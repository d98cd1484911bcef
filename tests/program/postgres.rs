//! A store on a server, used as one in a file.

use nightfold_store::testing::PostgresServer;

use crate::support::Desk;

/// Exit code of a failure of the store.
const STORE: i32 = 5;

const DAYS: &str = "{scenarios/riverbend/days/1.jsonl} {scenarios/riverbend/days/2.jsonl}";

#[test]
fn store_on_a_server_answers_as_one_in_a_file() {
    let Some(server) = PostgresServer::shared() else { return };
    let desk = Desk::new();
    let address = server.address();
    let stores = ["town.db", &address];
    let same = |command: &str| {
        let [file, server] = stores.map(|store| desk.run(&format!("{command} --store {store}")).ok());
        assert_eq!(file, server, "{command}");
        file
    };
    let dry = same(&format!("sleep {DAYS} --by-day"));
    assert!(dry.contains("dry run"), "{dry}");
    same(&format!("sleep {DAYS} --by-day --apply"));
    same("list --all --json");
    same("themes Mara_Thorne --json");
    same("recall Mara_Thorne Tom --json --explain");
    assert!(same(&format!("sleep {DAYS} --by-day --apply")).contains("nothing to write"));
    let exported = stores.map(|store| desk.run(&format!("export --store {store} --to -")).ok());
    assert!(exported[0] == exported[1], "not the same bytes");

    assert!(same("check").starts_with("sound: "));
    let [file, server] = stores.map(|store| desk.run(&format!("stats --store {store} --json")).json());
    for figure in ["npcs", "nights", "active", "archived", "vectors", "log_lines", "biggest"] {
        assert_eq!(file[figure], server[figure], "{figure}");
    }
    assert!(server["bytes"].as_u64() > Some(0) && server["free_bytes"].is_null(), "{server}");

    same("rewind --save slot");
    same("sleep {scenarios/riverbend/days/3.jsonl} --apply");
    same("rewind --to slot --apply");
    assert!(same("check").starts_with("sound: "));
    same("list --all --json");
    same("undo --npc Mara_Thorne");
    same("undo");
    assert_eq!(same("list --all --json"), "[]\n");
}

#[test]
fn store_moves_from_a_file_to_a_server_and_back() {
    let Some(server) = PostgresServer::shared() else { return };
    let desk = Desk::new();
    let address = server.address();
    desk.run(&format!("sleep {DAYS} --by-day --store town.db --apply")).ok();
    desk.run("export --store town.db --to town.jsonl").ok();
    desk.run(&format!("import town.jsonl --store {address}")).ok();
    desk.run(&format!("export --store {address} --to back.jsonl")).ok();
    assert!(desk.read("back.jsonl") == desk.read("town.jsonl"), "not the same bytes");
}

#[test]
fn server_that_refuses_is_told_without_the_password() {
    let Some(server) = PostgresServer::shared() else { return };
    let desk = Desk::new();
    let missing = server.address_of("nevermade");
    let place = format!("there is no store at postgres://127.0.0.1:{}", server.port());
    desk.run(&format!("list --store {missing}")).code_is(STORE, &place);
    let unknown = missing.replace("nightfold@", "nightfold:s3cret@").replace("/postgres?", "/nowhere?");
    let ran = desk.run(&format!("list --store {unknown}"));
    assert!(!ran.err.contains("s3cret"), "{}", ran.err);
    ran.code_is(STORE, "database \"nowhere\" does not exist");
    desk.run("list --store postgres://h/d?schema=No").code_is(STORE, "schema");
}
