//! A store that is deleted or replaced while nights are written to it.

use std::{fs, process::Stdio, thread::sleep, time::Duration};

use crate::support::Desk;

/// A misfortune of a store.
#[cfg(unix)]
type Take = fn(&Desk);

#[test]
#[cfg(unix)]
fn run_whose_store_is_taken_away_stops_and_says_so() {
    let desk = Desk::alone();
    fs::create_dir(desk.path("town")).expect("a folder");
    desk.write("letter", "Dear Mara");
    let takes: [(&str, Take); 3] = [
        ("no file is there any more", |desk| fs::remove_file(desk.path("town/town.db")).expect("deleted")),
        ("another file is there now", |desk| {
            fs::copy(desk.path("letter"), desk.path("town/new")).expect("copied");
            fs::rename(desk.path("town/new"), desk.path("town/town.db")).expect("replaced");
        }),
        ("no file is there any more", |desk| {
            fs::rename(desk.path("town"), desk.path("away")).expect("moved");
        }),
    ];
    for (found, take) in takes {
        let days = "{scenarios/riverbend/days/1.jsonl} {scenarios/riverbend/days/2.jsonl}";
        let mut child = desk
            .command(&format!("sleep {days} --by-day --set run.npcs=1 --apply --store town/town.db"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        // The log is there as soon as the store is open, long before the last night is planned.
        while !desk.path("town/town.db-wal").exists() {
            assert!(child.try_wait().expect("a child").is_none(), "ended too early");
            sleep(Duration::from_millis(2));
        }
        sleep(Duration::from_millis(100));
        take(&desk);
        let ended = child.wait_with_output().expect("ended");
        let (out, err) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
        assert_eq!(ended.status.code(), Some(5), "{err}");
        assert!(err.contains(found) && err.contains("town.db was taken away while it was in use"), "{err}");
        assert!(err.contains("put the file back"), "{err}");
        assert!(!out.contains("written"), "no night is said to be written: {out}");
        let _ = fs::remove_file(desk.path("town/town.db"));
        let _ = fs::remove_file(desk.path("town/town.db-wal"));
        let _ = fs::remove_file(desk.path("town/town.db-shm"));
    }
}
