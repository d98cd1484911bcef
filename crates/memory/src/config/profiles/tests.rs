use super::*;
use crate::{
    config::{Config, ConfigError, ValidConfig},
    id::NpcId,
};

fn read(toml: &str) -> Config {
    toml::from_str(toml).unwrap()
}

fn checked(toml: &str) -> ValidConfig {
    read(toml).check().unwrap()
}

fn refused(toml: &str) -> ConfigError {
    read(toml).check().unwrap_err()
}

fn npc(name: &str) -> NpcId {
    name.parse().unwrap()
}

fn tags(tags: &[&str]) -> Vec<String> {
    tags.iter().map(|tag| (*tag).to_owned()).collect()
}

#[test]
fn profile_takes_what_it_leaves_out_from_its_parent_and_then_from_the_sections() {
    let config = checked(
        r#"
        budget.text = 0.9
        [profiles.watch]
        npcs = ["Tom"]
        budget.storage = 0.4
        triage.important = 6
        [profiles.guard]
        inherits = "watch"
        npcs = ["Guard *"]
        budget.storage = 0.3
        judge.same_from = 0.6
        cluster.algorithm = "single"
        "#,
    );
    let own = config.for_npc(&npc("Guard 1"), &[]);
    assert_eq!((own.budget.storage, own.budget.text, own.triage.important), (0.3, 0.9, 6));
    assert_eq!((own.judge.same_from, own.judge.max_pairs), (0.6, config.judge.max_pairs));
    assert_eq!(own.cluster.algorithm, crate::config::ClusterAlgorithm::Single);
    assert_eq!(own.profile().map(ProfileName::as_str), Some("guard"));
    let parent = config.for_npc(&npc("Tom"), &[]);
    assert_eq!((parent.budget.storage, parent.judge.same_from), (0.4, config.judge.same_from));
    let other = config.for_npc(&npc("Mara"), &[]);
    assert_eq!((&other.budget, other.profile()), (&config.budget, None));
    assert!(own.profiles.is_empty() && other.profiles.is_empty(), "the night of one NPC carries no profiles");
    assert_eq!(own.for_npc(&npc("Guard 1"), &[]), own, "once resolved it stays as it is");
    let line: Vec<_> = config.lineage("guard").unwrap().into_iter().map(|(name, _)| name).collect();
    assert_eq!(line, ["guard", "watch"]);
}

#[test]
fn whole_name_goes_before_pattern_and_pattern_before_tag_and_first_profile_before_second() {
    let config = checked(
        r#"
        [profiles.a-everyone]
        npcs = ["*"]
        tags = ["smith"]
        [profiles.b-guards]
        npcs = ["Guard *"]
        [profiles.c-bran]
        npcs = ["Guard Bran"]
        [profiles.d-bran-too]
        npcs = ["Guard Bran"]
        "#,
    );
    let found = |name: &str, of: &[&str]| {
        let of = tags(of);
        config.profile_for(&npc(name), &of).map(|found| found.name.to_string())
    };
    assert_eq!(found("Guard Bran", &["smith"]).as_deref(), Some("c-bran"));
    assert_eq!(found("Guard Aldis", &["smith"]).as_deref(), Some("b-guards"), "the longer pattern");
    assert_eq!(found("Mara", &[]).as_deref(), Some("a-everyone"));

    let config = checked(
        "[profiles.red]\ntags = [\"thief\", \"guard\"]\n[profiles.blue]\ntags = [\"guard\"]\n[profiles.mara]\nnpcs = [\"Mara\"]\n",
    );
    let of = tags(&["thief", "guard"]);
    let found = config.profile_for(&npc("Tom"), &of).unwrap();
    assert_eq!((found.name.as_str(), found.by), ("blue", MatchedBy::Tag("guard")));
    assert_eq!(config.profile_for(&npc("Mara"), &of).unwrap().by, MatchedBy::Name);
    assert_eq!(config.profile_for(&npc("Tom"), &tags(&["Guard"])), None, "upper and lower case differ");
}

#[test]
fn missing_parent_and_circle_are_refused_by_name() {
    let error = refused("[profiles.guard]\ninherits = \"gard\"\n[profiles.watch]\n");
    assert_eq!(
        error.to_string(),
        "profiles.guard.inherits is \"gard\", and there is no such profile; there are guard, watch"
    );
    let error = refused(
        "[profiles.a]\ninherits = \"b\"\n[profiles.b]\ninherits = \"c\"\n[profiles.c]\ninherits = \"b\"\n",
    );
    assert_eq!(error.to_string(), "profiles.b.inherits leads back to itself: b → c → b");
    assert_eq!(error.key(), "profiles.b.inherits");
    let error = refused("[profiles.a]\ninherits = \"a\"\n");
    assert_eq!(error, ProfileError::Cycle { circle: tags(&["a", "a"]) }.into());
}

#[test]
fn value_outside_its_range_is_reported_of_the_profile_that_sets_it() {
    let error = refused("[profiles.a]\ninherits = \"watch\"\n[profiles.watch]\nbudget.storage = 1.5\n");
    assert_eq!(error.to_string(), "profiles.watch.budget.storage is 1.5; it must lie between 0.01 and 1");
    let error = refused("[profiles.a]\ncluster.k_min = 1\n");
    assert_eq!(error.key(), "profiles.a.cluster.k_min");
    assert!(error.to_string().contains("between 2 and 1000"), "{error}");
}

#[test]
fn keys_that_all_npcs_share_are_refused_with_the_reason() {
    for (given, key) in [
        ("input.max_list = 3", "input"),
        ("embed.cache = 3", "embed"),
        ("seed = 3", "seed"),
        ("run.npcs = 3", "run"),
        ("judge.by = \"rules\"", "judge.by"),
        ("profiles.b.npcs = []", "profiles"),
    ] {
        let error = refused(&format!("[profiles.guard]\n{given}\n"));
        let ConfigError::Profile(ProfileError::WholeRun { profile, key: found, why }) = &error else {
            panic!("{error}");
        };
        assert_eq!((profile.as_str(), found.as_str()), ("guard", key));
        assert!(!why.is_empty() && error.key() == format!("profiles.guard.{key}"));
    }
    let error = refused("[profiles.guard]\ninput.max_list = 3\n").to_string();
    assert_eq!(
        error,
        "profiles.guard.input cannot differ from NPC to NPC: files are read before anybody knows whose memories they hold"
    );
}

#[test]
fn every_section_is_either_one_of_a_profile_or_refused_with_a_reason() {
    let sections = toml::Table::try_from(Config::default()).unwrap();
    for (section, keys) in &sections {
        let value = if keys.is_table() { toml::Value::Table(toml::Table::new()) } else { keys.clone() };
        let profile = toml::Table::from_iter([(section.clone(), value)]);
        let profile: Profile = profile.try_into().unwrap();
        let refused = profile.shared_key().is_some();
        let own = toml::from_str::<Profile>(&format!("[{section}]\nno_such_key = 1\n"));
        assert_eq!(refused, own.is_ok(), "{section}");
    }
}

#[test]
fn unknown_keys_names_and_patterns_are_refused() {
    let error = toml::from_str::<Config>("[profiles.guard.budget]\nstorge = 0.4\n").unwrap_err();
    assert!(error.message().contains("unknown field `storge`"), "{error}");
    let error = toml::from_str::<Config>("[profiles.guard]\ninherit = \"x\"\n").unwrap_err();
    assert!(error.message().contains("unknown field `inherit`"), "{error}");
    let error = refused("[profiles.\"the guard\"]\n").to_string();
    assert!(error.contains("\"the guard\"") && error.contains("a to z"), "{error}");
    let error = refused("[profiles.guard]\nnpcs = [\"Gu*rd\"]\n").to_string();
    assert!(error.starts_with("profiles.guard.npcs has \"Gu*rd\", which has a `*` inside"), "{error}");
    let error = refused("[profiles.guard]\ntags = [\" \"]\n").to_string();
    assert!(error.starts_with("profiles.guard.tags has \" \", which is empty"), "{error}");
}

#[test]
fn number_of_profiles_and_of_their_names_is_bounded() {
    let many = |n: usize| (0..n).map(|i| format!("[profiles.p{i}]\n")).collect::<String>();
    assert!(read(&many(MAX_PROFILES)).check().is_ok());
    assert_eq!(refused(&many(MAX_PROFILES + 1)), ProfileError::TooMany { given: MAX_PROFILES + 1 }.into());
    let mut config = Config::default();
    let npcs: Vec<String> = (0..=MAX_MATCHES).map(|i| format!("n{i}")).collect();
    config.profiles.insert("guard".to_owned(), Profile::default().with(|profile| profile.npcs = npcs));
    let error = config.check().unwrap_err().to_string();
    assert_eq!(error, "profiles.guard.npcs has 4097 items; at most 4096 are allowed");
}

#[test]
fn configuration_with_profiles_is_read_back_as_it_was_written() {
    let config = checked("[profiles.guard]\nnpcs = [\"Bran\"]\nrecall.limit = 3\njudge.max_pairs = 4\n");
    let json = serde_json::to_string(&config).unwrap();
    assert!(
        json.contains(r#""guard":{"npcs":["Bran"],"judge":{"max_pairs":4},"recall":{"limit":3}}"#),
        "{json}"
    );
    let back: ValidConfig = serde_json::from_str(&json).unwrap();
    assert_eq!(back, config);
    assert_eq!(back.for_npc(&npc("Bran"), &[]).recall.limit, 3);
}
