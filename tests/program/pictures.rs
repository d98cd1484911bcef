//! Pictures of the README and the book, made of what the program prints: they fail when they age.

use std::{fmt::Write as _, fs};

use crate::support::{Desk, root};

/// Width of a letter and height of a line, in units of the picture.
const LETTER: f64 = 7.8;
const LINE: f64 = 18.0;

/// Columns of the terminal.
const COLUMNS: usize = 92;

/// Seconds between two lines.
const STEP: f64 = 0.12;

/// Colours by the code of the terminal.
const COLOURS: [(&str, &str); 8] = [
    ("1", "#ffffff"),
    ("2", "#9aa0a6"),
    ("31", "#f28b82"),
    ("32", "#81c995"),
    ("33", "#fdd663"),
    ("34", "#8ab4f8"),
    ("35", "#e8a3d8"),
    ("36", "#78d9ec"),
];

#[test]
fn night_on_a_terminal_is_what_the_program_prints() {
    let call = "sleep {scenarios/riverbend/days/1.jsonl} --npc Mara_Thorne";
    let columns = COLUMNS.to_string();
    let ran = Desk::new().run_with(call, &[("COLUMNS", &columns), ("CLICOLOR_FORCE", "1")]).ok();
    let asked = "$ nightfold sleep scenarios/riverbend/days/1.jsonl --npc \"Mara Thorne\"";
    accepted("docs/src/images/night.svg", &drawn(&format!("{asked}\n{ran}")));
}

#[test]
fn nightly_run_on_a_terminal_is_what_the_program_prints() {
    let desk = Desk::new();
    desk.run("init").ok();
    for folder in ["inbox", "done"] {
        fs::create_dir(desk.path(folder)).expect("a folder");
    }
    fs::copy(desk.path("scenarios/first-nights/days/1.jsonl"), desk.path("inbox/1.jsonl")).expect("a day");
    let columns = COLUMNS.to_string();
    let mut shown = String::new();
    for call in [
        "sleep --inbox inbox --done done --by-day --store town.db --apply",
        "check --store town.db",
        "list --store town.db",
        "undo --store town.db",
    ] {
        let ran = desk.run_with(call, &[("COLUMNS", &columns), ("CLICOLOR_FORCE", "1")]).ok();
        shown.push_str(&format!("$ nightfold {call}\n{}\n\n", ran.trim_end()));
    }
    accepted("docs/src/images/run.svg", &drawn(shown.trim_end()));
}

#[test]
fn samples_of_the_tutorial_are_what_the_program_prints() {
    let desk = Desk::new();
    desk.run("init").ok();
    let page = fs::read_to_string(root().join("docs/src/tutorial.md")).expect("the page");
    let first = desk.run("sleep scenarios/first-nights/days/1.jsonl --store town.db").ok();
    assert!(page.contains(&format!("```text\n{first}```")), "the page has aged: {first}");
    desk.run("sleep scenarios/first-nights/days/1.jsonl --store town.db --apply").ok();
    let second = desk.run("sleep scenarios/first-nights/days/2.jsonl --store town.db").ok();
    let night = second.split("\n\n").next().unwrap_or_default();
    assert!(page.contains(&format!("```text\n{night}\n```")), "the page has aged: {second}");

    // The expectation as the page adds it.
    let (_, added) = page.split_once("scenario.toml <<'END'\n").expect("an expectation");
    let (added, _) = added.split_once("END\n").expect("its end");
    let scenario = String::from_utf8(desk.read("scenarios/first-nights/scenario.toml")).expect("UTF-8");
    desk.write("scenarios/first-nights/scenario.toml", scenario + added);
    let replayed = desk.run("replay scenarios");
    let (_, sample) = page.rsplit_once("```text\n").expect("a sample");
    let (sample, _) = sample.split_once("```").expect("its end");
    assert!(replayed.out.contains(sample), "the page has aged: {}", replayed.out);
}

/// Asserts that a file of the project holds this text; `NIGHTFOLD_ACCEPT=1` writes it.
#[track_caller]
pub(crate) fn accepted(name: &str, text: &str) {
    let path = root().join(name);
    if std::env::var_os("NIGHTFOLD_ACCEPT").is_some() {
        fs::write(&path, text).expect("the picture is written");
    }
    let same = fs::read_to_string(&path).is_ok_and(|kept| kept == text);
    assert!(same, "{name} has aged; NIGHTFOLD_ACCEPT=1 draws it anew: look at it then");
}

/// Draws the output of a terminal, line after line; whoever wants no movement sees all of it at once.
fn drawn(output: &str) -> String {
    let lines: Vec<&str> = output.lines().collect();
    let (width, height) = (COLUMNS as f64 * LETTER + 32.0, lines.len() as f64 * LINE + 36.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">\n\
         <title>A night on a terminal</title>\n<style>\n\
         text {{ font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre; }}\n\
         @media (prefers-reduced-motion: no-preference) {{ text {{ animation: shown 0.01s both; }} }}\n\
         @keyframes shown {{ from {{ opacity: 0; }} to {{ opacity: 1; }} }}\n</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#1f2328\"/>\n"
    );
    for (number, line) in lines.iter().enumerate() {
        let y = number as f64 * LINE + 30.0;
        // The first line is there at once: it is what the user types.
        let delay = if number == 0 { 0.0 } else { 0.6 + number as f64 * STEP };
        let _ = writeln!(
            svg,
            "<text x=\"16\" y=\"{y:.0}\" fill=\"#e6e4de\" xml:space=\"preserve\" style=\"animation-delay: {delay:.2}s\">{}</text>",
            spans(line)
        );
    }
    svg + "</svg>\n"
}

/// Returns a line with its colours as spans.
fn spans(line: &str) -> String {
    let mut out = String::new();
    let mut parts = line.split("\u{1b}[");
    out.push_str(&escaped(parts.next().unwrap_or_default()));
    for part in parts {
        let (code, text) = part.split_once('m').expect("a colour ends");
        match COLOURS.iter().find(|(known, _)| *known == code) {
            Some((_, colour)) => {
                let _ = write!(out, "<tspan fill=\"{colour}\">{}</tspan>", escaped(text));
            }
            None => out.push_str(&escaped(text)),
        }
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
