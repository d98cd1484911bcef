use nightfold_english::English;
use proptest::prelude::*;

use super::*;

fn at(seconds: i64) -> GameTime {
    GameTime::from_seconds(seconds).unwrap()
}

fn record<'a>(id: &'a str, text: &'a str, reinforcement: u32, seconds: i64) -> StatusRecord<'a> {
    StatusRecord {
        id,
        text,
        context: "",
        significance: Significance::Routine,
        reinforcement,
        created_at: at(seconds),
    }
}

fn collapsed(records: &[StatusRecord<'_>], settings: &CollapseConfig) -> StatusCollapsed {
    let mut collapse = StatusCollapse::new(settings, &English);
    records.iter().for_each(|record| _ = collapse.push(*record));
    collapse.finish()
}

/// Returns a word of letters for a number.
fn word(mut n: usize) -> String {
    let mut word = String::from("x");
    loop {
        word.push(char::from(b'a' + u8::try_from(n % 26).unwrap()));
        n /= 26;
        if n == 0 {
            return word;
        }
    }
}

#[test]
fn namesakes_are_never_one_status() {
    for (id, groups) in [("other", 1), ("gate~2", 0)] {
        let lines =
            [record("gate", "gate status: 3 patrols", 1, 1), record(id, "gate status: 5 patrols", 1, 2)];
        assert_eq!(collapsed(&lines, &CollapseConfig::default()).groups.len(), groups, "{id}");
    }
}

#[test]
fn canonical_entry_takes_over_reinforcement() {
    let texts: Vec<String> = (0..5).map(|n| format!("Gateway health: {n} agents connected")).collect();
    let records: Vec<StatusRecord<'_>> = [("canonical", 2), ("a", 3), ("b", 1), ("c", 1), ("d", 0)]
        .iter()
        .zip(&texts)
        .zip(0..)
        .map(|(((id, reinforcement), text), seconds)| {
            let significance = if *id == "canonical" { Significance::Core } else { Significance::Routine };
            StatusRecord { significance, ..record(id, text, *reinforcement, seconds) }
        })
        .collect();
    let found = collapsed(&records, &CollapseConfig::default());
    let group = &found.groups[0];
    assert_eq!((group.canonical.as_str(), group.reinforcement), ("canonical", 8));
    assert_eq!(group.duplicates, ["a", "b", "c", "d"]);
}

#[test]
fn dry_run_report_has_every_counter() {
    // 45 groups of five, 115 single readings, 860 lines that are not readings.
    let mut texts = Vec::new();
    for group in 0..45 {
        texts
            .extend((0..5).map(|n| format!("status of post {} in {}: {n} alerts", word(group), word(group))));
    }
    texts.extend((0..115).map(|n| format!("count of {} and barrels is 7", word(n))));
    texts.extend((0..860).map(|n| format!("I spoke with {} about the weather", word(n))));
    let ids: Vec<String> = (0..texts.len()).map(|n| format!("m{n:04}")).collect();
    let records: Vec<StatusRecord<'_>> =
        ids.iter().zip(&texts).zip(0..).map(|((id, text), seconds)| record(id, text, 1, seconds)).collect();
    let report = collapsed(&records, &CollapseConfig::default()).report;
    let json = serde_json::to_value(&report).unwrap();
    for (field, value) in [
        ("scanned_profiles", 1200),
        ("operational_profiles", 340),
        ("unique_signatures", 160),
        ("duplicate_groups", 45),
        ("duplicates_found", 180),
        ("groups_collapsed", 0),
        ("duplicates_removed", 0),
        ("reinforcements_applied", 0),
        ("exact_duplicate_groups", 45),
        ("token_duplicate_groups", 0),
        ("fuzzy_duplicate_groups", 0),
    ] {
        assert_eq!(json[field], value, "{field}");
    }
    assert_eq!((json["dry_run"].as_bool(), json["samples"].as_array().map(Vec::len)), (Some(true), Some(20)));
}

#[test]
fn operational_lines_need_a_keyword_and_a_number_or_date() {
    let texts = [
        "Gateway health: 3 agents connected, latency 45ms, uptime 99.2%",
        "Heartbeat status 2026-03-15: 12 tasks verified, 2 failed, score 85",
        "Discord channel metrics: 47 messages today, 3 alerts pending",
        "Guard posts: 3 men at the river",
        "the gateway is down",
        "Joss owes Tom 14 silver",
    ];
    let records: Vec<StatusRecord<'_>> = texts.iter().map(|text| record(text, text, 1, 0)).collect();
    assert_eq!(collapsed(&records, &CollapseConfig::default()).report.operational_profiles, 4);
    let settings = CollapseConfig::default();
    let mut all = StatusCollapse::unfiltered(&settings, &English);
    records.iter().for_each(|record| _ = all.push(*record));
    assert_eq!(all.finish().report.operational_profiles, 6);
}

#[test]
fn canonical_entry_is_chosen_by_significance_reinforcement_and_age() {
    use Significance::{Core, Important, Noteworthy, Routine};
    let same = |id, significance, reinforcement, seconds| StatusRecord {
        significance,
        ..record(id, "forge status: 3 orders", reinforcement, seconds)
    };
    let ranked = [
        same("z", Core, 0, 9),
        same("y", Important, 9, 1),
        same("x", Noteworthy, 5, 8),
        same("w", Noteworthy, 4, 2),
        same("v", Routine, 4, 3),
        same("a", Routine, 4, 4),
        same("b", Routine, 4, 4),
    ];
    for first in 0..ranked.len() - 1 {
        let found = collapsed(&ranked[first..], &CollapseConfig::default());
        assert_eq!(found.groups[0].canonical, ranked[first].id);
    }
}

#[test]
fn newest_reading_is_canonical_if_configured() {
    let records = [record("a", "forge status: 3 orders", 1, 1), record("b", "forge status: 2 orders", 1, 2)];
    let newest = CollapseConfig::default().with(|c| c.keep = KeptReading::Newest);
    assert_eq!(collapsed(&records, &CollapseConfig::default()).groups[0].canonical, "a");
    assert_eq!(collapsed(&records, &newest).groups[0].canonical, "b");
    // Also if the former newest entry already represents many others.
    let later = [record("b", "forge status: 2 orders", 9, 2), record("c", "forge status: 4 orders", 1, 3)];
    assert_eq!(collapsed(&later, &newest).groups[0].canonical, "c");
}

#[test]
fn readings_of_different_contexts_never_collapse() {
    let texts = [
        "gate status: 3 patrols, 1 alert, all well",
        "status of the gate: 2 alerts, 7 patrols, all well",
        "gate status tonight: 3 patrols, 1 alert, all well",
    ];
    let settings = CollapseConfig::default().with(|c| c.fuzzy = true);
    let mut records: Vec<StatusRecord<'_>> = Vec::new();
    for context in ["river", "hill"] {
        records.extend(texts.iter().zip(0..).map(|(t, s)| StatusRecord { context, ..record(t, t, 1, s) }));
    }
    let ids: Vec<String> = (0..records.len()).map(|n| format!("m{n}")).collect();
    records.iter_mut().zip(&ids).for_each(|(record, id)| record.id = id);
    let found = collapsed(&records, &settings);
    assert_eq!(found.report.unique_signatures, 3);
    let members: Vec<Vec<&str>> = found
        .groups
        .iter()
        .map(|g| std::iter::once(&g.canonical).chain(&g.duplicates).map(String::as_str).collect())
        .collect();
    assert_eq!(members, [["m0", "m1", "m2"], ["m3", "m4", "m5"]]);
}

#[test]
fn each_phase_collapses_groups_left_by_the_previous_one() {
    let texts = [
        "gate status: 3 patrols, 1 alert",
        "gate status: 5 patrols, 0 alerts",
        "status of the gate: 2 alerts, 7 patrols",
        "gate status tonight with torches: 4 patrols, 2 alerts",
        "gate status tonight with many torches: 4 patrols, 2 alerts",
    ];
    let records: Vec<StatusRecord<'_>> = texts.iter().zip(0..).map(|(t, s)| record(t, t, 1, s)).collect();
    let sizes = |found: &StatusCollapsed| -> Vec<(Phase, usize)> {
        found.groups.iter().map(|g| (g.phase, 1 + g.duplicates.len())).collect()
    };
    let plain = CollapseConfig::default();
    assert_eq!(sizes(&collapsed(&records[..2], &plain)), [(Phase::Exact, 2)]);
    assert_eq!(sizes(&collapsed(&records, &plain)), [(Phase::Token, 3)]);
    let fuzzy = CollapseConfig::default().with(|c| c.fuzzy = true);
    assert_eq!(sizes(&collapsed(&records, &fuzzy)), [(Phase::Token, 3), (Phase::Fuzzy, 2)]);
}

#[test]
fn opposed_readings_do_not_collapse() {
    let opposed = [
        record("a", "gate status: 1 bar, closed", 1, 0),
        record("b", "gate status: 1 bar, not closed", 1, 1),
        record("c", "gate status: 1 bar, open", 1, 2),
    ];
    assert!(collapsed(&opposed, &CollapseConfig::default()).groups.is_empty());
}

proptest! {
    #[test]
    fn groups_are_disjoint_and_independent_of_order(
        (texts, order) in prop::collection::vec(
            "(gate|forge|inn) (status|stock)( tonight)?: [0-9]{1,2}( patrols?)?( in (rain|sun|fog|snow))?", 1..40,
        )
        .prop_flat_map(|texts| {
            let order: Vec<usize> = (0..texts.len()).collect();
            (Just(texts), Just(order).prop_shuffle())
        }),
        fuzzy in any::<bool>(),
    ) {
        let settings = CollapseConfig::default().with(|c| c.fuzzy = fuzzy);
        let ids: Vec<String> = (0..texts.len()).map(|n| format!("m{n:02}")).collect();
        let records: Vec<StatusRecord<'_>> =
            ids.iter().zip(&texts).zip(0..).map(|((id, text), s)| record(id, text, 1, s / 3)).collect();
        let straight = collapsed(&records, &settings);
        let shuffled: Vec<StatusRecord<'_>> = order.iter().map(|&i| records[i]).collect();
        prop_assert_eq!(&collapsed(&shuffled, &settings), &straight);
        let mut all: Vec<&String> =
            straight.groups.iter().flat_map(|g| std::iter::once(&g.canonical).chain(&g.duplicates)).collect();
        let entries = all.len();
        all.sort();
        all.dedup();
        prop_assert_eq!(all.len(), entries);
        for group in &straight.groups {
            prop_assert_eq!(group.reinforcement as usize, 1 + group.duplicates.len());
        }
    }
}
