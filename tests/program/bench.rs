//! Measuring the speed of nights.

use serde_json::Value;

use crate::support::Desk;

const BENCH: &str = "bench --npcs 3 --memories 20 --repeat-share 0.6 --seed 7";

#[test]
fn bench_measures_a_cold_and_a_warm_round() {
    let desk = Desk::alone();
    let report = desk.run(&format!("{BENCH} --json")).json();
    let number = |value: &Value, key: &str| value[key].as_f64().unwrap_or_else(|| panic!("{key} in {value}"));
    let whole = |value: &Value, key: &str| value[key].as_u64().unwrap_or_else(|| panic!("{key} in {value}"));
    assert_eq!([whole(&report, "npcs"), whole(&report, "memories"), whole(&report, "seed")], [3, 20, 7]);
    let rounds = report["rounds"].as_array().expect("rounds");
    assert_eq!(rounds.len(), 2);
    for round in rounds {
        assert_eq!(whole(round, "nights"), 3);
        assert!(number(round, "seconds") > 0.0 && number(round, "nights_per_second") > 0.0);
        let night = &round["night_ms"];
        assert!(0.0 < number(night, "p50") && number(night, "p50") <= number(night, "p99"));
        let steps = round["steps"].as_object().expect("steps");
        for step in ["read", "past", "collapse", "embed", "triage", "synthesize", "reconcile", "commit"] {
            assert!(steps[step].as_f64() >= Some(0.0), "{step}");
        }
        // These two go on beside the others.
        let in_turn = steps.iter().filter(|(step, _)| !["read", "commit"].contains(&step.as_str()));
        let together: f64 = in_turn.filter_map(|(_, step)| step.as_f64()).sum();
        assert!(together <= number(round, "seconds") + 0.01, "{together} in {round}");
        if cfg!(target_os = "linux") {
            assert!(number(round, "peak_bytes") > 10e6 && number(round, "cpu_seconds") > 0.0);
        }
    }
    // Eight texts each of the day, and what is told of them; the second round has them at hand.
    let vectors = |round: usize, key: &str| whole(&rounds[round]["vectors"], key);
    assert!(vectors(0, "texts") >= 20, "{report}");
    assert_eq!([vectors(0, "cached"), vectors(0, "embedded")], [0, vectors(0, "texts")]);
    assert_eq!([vectors(1, "cached"), vectors(1, "embedded")], [vectors(0, "texts"), 0]);

    let again = desk.run(&format!("{BENCH} --json")).json();
    assert_eq!(
        again["rounds"][0]["vectors"], report["rounds"][0]["vectors"],
        "other days from the same seed"
    );
    let left: Vec<_> = std::fs::read_dir(desk.path(".")).expect("the folder").collect();
    assert!(left.is_empty(), "something was left behind: {left:?}");
}

#[test]
fn bench_prints_a_table_and_uses_a_given_cache() {
    let desk = Desk::alone();
    let cold = desk.run(&format!("{BENCH} --vector-cache vectors.db")).ok();
    assert!(cold.starts_with("3 NPCs of 20 memories, 60 % of them repeats of the day; seed 7, "), "{cold}");
    let row = |out: &str, name: &str| -> Vec<String> {
        let line =
            out.lines().find(|line| line.trim().starts_with(name)).unwrap_or_else(|| panic!("{name}: {out}"));
        line.trim().strip_prefix(name).expect("a step").split_whitespace().map(str::to_owned).collect()
    };
    let texts = row(&cold, "distinct texts");
    assert_eq!(row(&cold, "embedded"), [texts[0].as_str(), "0"]);
    let warm = desk.run(&format!("{BENCH} --vector-cache vectors.db")).ok();
    assert_eq!(row(&warm, "from the cache"), [texts[0].as_str(), texts[0].as_str()]);
    assert_eq!(row(&warm, "of the 32-bit rate, embed").len(), 2, "{warm}");
    for name in ["nights/s", "a night, p50", "a night, p99", "all nights", "embed", "commit", "peak memory"] {
        assert!(row(&warm, name).len() >= 2, "{warm}");
    }
}

#[test]
fn impossible_bench_arguments_are_refused() {
    let desk = Desk::alone();
    desk.run("bench --npcs 0").code_is(2, "--npcs");
    desk.run("bench --repeat-share 1.5").code_is(2, "between 0 and 1");
    desk.run("bench --memories 30000")
        .code_is(2, "above input.max~memories, which is 20000".replace('~', "_").as_str());
}
