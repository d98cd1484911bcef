//! Files that a release brings along: units, cron lines and container call the program as it is, and the scripts are sound.

use std::{fs, path::Path, process::Command};

use tempfile::TempDir;

use crate::{
    docs::Programs,
    support::{Desk, root},
};

fn packaged(name: &str) -> String {
    fs::read_to_string(root().join("packaging").join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A machine's folders inside of a temporary one, with one day in the inbox.
struct Machine {
    desk: Desk,
    programs: Programs,
}

impl Machine {
    fn new() -> Self {
        let desk = Desk::new();
        for folder in ["inbox", "done", "towns", "backup"] {
            fs::create_dir_all(desk.path("state").join(folder)).expect("a folder");
        }
        fs::copy(root().join("scenarios/riverbend/days/1.jsonl"), desk.path("state/inbox/1.jsonl"))
            .expect("a day");
        Self { desk, programs: Programs::new() }
    }

    /// Runs a command line with the program on the path and the state in this folder; it must succeed.
    #[track_caller]
    fn run(&self, line: &str) {
        let state = self.desk.path("state");
        let state = state.to_str().expect("UTF-8");
        let line = line.replace("/usr/bin/nightfold", "nightfold").replace("/var/lib/nightfold", state);
        let output = self.programs.shell(&line, &self.desk.path("")).output().expect("a shell");
        assert!(output.status.success(), "{line}\n{}", String::from_utf8_lossy(&output.stderr));
    }

    fn was_a_night(&self) {
        let state = self.desk.path("state");
        for file in ["town.db", "summary.json", "nightfold.prom", "done/1.jsonl"] {
            assert!(state.join(file).is_file(), "{file}");
        }
    }
}

/// Returns the command lines of a unit, with what systemd reads otherwise than a shell made a shell's.
fn of_unit(name: &str) -> Vec<String> {
    let unit = packaged(name).replace("\\\n", " ");
    let lines = unit.lines().filter_map(|line| line.strip_prefix("ExecStart="));
    lines.map(|line| line.replace("%%", "%").replace("$$", "$")).collect()
}

#[test]
fn units_sleep_and_back_up() {
    let machine = Machine::new();
    for line in of_unit("systemd/nightfold-night.service") {
        machine.run(&line);
    }
    machine.was_a_night();
    for line in of_unit("systemd/nightfold-backup.service") {
        machine.run(&line);
    }
    assert_eq!(fs::read_dir(machine.desk.path("state/backup")).expect("a folder").count(), 1);
}

#[test]
fn cron_lines_sleep_and_back_up() {
    let machine = Machine::new();
    let table = packaged("cron/nightfold").replace("\\%", "%");
    let lines = table.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let commands: Vec<&str> =
        lines.map(|line| line.split_once(" nightfold ").expect("the user, then the command").1).collect();
    let (backup, night) = (commands[0], commands[1]);
    machine.run(night);
    machine.was_a_night();
    machine.run(backup);
    assert_eq!(fs::read_dir(machine.desk.path("state/backup")).expect("a folder").count(), 1);
}

#[test]
fn container_sleeps_by_the_same_options_as_the_unit() {
    let machine = Machine::new();
    let compose = packaged("compose.yaml");
    let (_, command) = compose.split_once("command:\n").expect("a command");
    let words: Vec<&str> = command.lines().map_while(|line| line.trim().strip_prefix("- ")).collect();
    let night = format!("nightfold {}", words.join(" "));
    machine.run(&night);
    machine.was_a_night();
    let unit = &of_unit("systemd/nightfold-night.service")[0];
    let options = |line: &str| -> Vec<String> {
        line.replace('=', " ").split_whitespace().skip(1).map(str::to_owned).collect()
    };
    assert_eq!(options(&night), options(unit));
}

/// Runs a tool on what is packaged; if it is not installed, says so.
fn passes(tool: &mut Command) {
    let name = tool.get_program().to_owned();
    match tool.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("skipped: {} is not installed", name.display());
        }
        output => {
            let output = output.expect("runs");
            let said = [output.stdout, output.stderr].concat();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&said));
        }
    }
}

#[test]
fn units_are_valid() {
    let folder = TempDir::new().expect("a folder");
    let program = env!("CARGO_BIN_EXE_nightfold-under-test");
    let mut verify = Command::new("systemd-analyze");
    verify.args(["verify", "--man=no"]);
    for unit in fs::read_dir(root().join("packaging/systemd")).expect("units") {
        let unit = unit.expect("a unit").path();
        if unit.extension().is_some_and(|extension| extension == "service" || extension == "timer") {
            let copy = folder.path().join(unit.file_name().expect("a name"));
            let text = fs::read_to_string(&unit).expect("a unit");
            fs::write(&copy, text.replace("=/usr/bin/nightfold", &format!("={program}"))).expect("written");
            verify.arg(copy);
        }
    }
    passes(&mut verify);
}

#[test]
fn scripts_are_clean() {
    let scripts = ["release", "reproduce", "msrv"].map(|name| root().join("packaging").join(name));
    passes(Command::new("shellcheck").args(scripts.iter().map(Path::new)));
}
