//! Files of settings, scenarios and their outcomes.

use nightfold_memory::{Config, NpcId, ValidConfig, config::InputConfig};
use nightfold_scenario::{Scenario, ScenarioOutcome, Script, differences};

use crate::scratch::with_files;

/// A configuration, without the layers that the program puts over it.
pub fn config(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let Ok(config) = toml::from_str::<Config>(text) else { return };
    match config.clone().check() {
        Ok(valid) => {
            assert_eq!(*valid, config, "checking changes nothing");
            let written = serde_json::to_string(&config).unwrap();
            let again: Config =
                serde_json::from_str(&written).expect("a valid configuration can be written and read");
            assert_eq!(again, config);
            let npc = NpcId::new("Mara").unwrap();
            for tags in [&[][..], &["guard".to_owned()]] {
                // What decides for one NPC is a valid configuration too.
                assert!((*valid.for_npc(&npc, tags)).clone().check().is_ok());
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

const DAY: &[u8] =
    br#"{"id":"a","npc":"Mara","at":28800,"kind":"event","text":"I swept the common room","importance":2}
{"id":"b","npc":"Mara","at":36000,"kind":"chat","text":"Joss told me that Tom fell","importance":8}
"#;

const SCENARIO: &[u8] =
    b"format = 1\ntitle = \"Two lines\"\nstory = \"Mara lives.\"\nlesson = \"Little is kept.\"\n\
[npcs]\n\"Mara\" = \"an innkeeper\"\n[[days]]\nfile = \"days/1.jsonl\"\n";

fn stage(folder: &std::path::Path) -> Result<Scenario, String> {
    let config: ValidConfig = Config::default().check().unwrap();
    let script = Script::read(folder, &InputConfig::default()).map_err(|error| format!("{error:?}"))?;
    script.stage(&config).map_err(|error| format!("{error:?}"))
}

/// The `scenario.toml` of a folder with one day.
pub fn scenario(bytes: &[u8]) {
    with_files(&[("scenario.toml", bytes), ("days/1.jsonl", DAY)], |folder| {
        let staged = stage(folder);
        if let Ok(scenario) = &staged {
            assert!(!scenario.nights.is_empty() && !scenario.npcs.is_empty());
            assert!(scenario.expectations.iter().all(|expected| expected.after < scenario.nights.len()));
            let sleepers = scenario.nights.iter().flat_map(|night| night.days.keys());
            sleepers.for_each(|npc| assert!(scenario.npcs.contains_key(npc), "{npc} is declared"));
        }
        let told = |staged: Result<Scenario, String>| staged.map(|scenario| format!("{scenario:?}"));
        assert_eq!(told(stage(folder)), told(staged), "a second reading tells the same");
    });
}

/// The accepted outcome of a scenario.
pub fn outcome(bytes: &[u8]) {
    let files = [("scenario.toml", SCENARIO), ("days/1.jsonl", DAY), ("outcome.json", bytes)];
    with_files(&files, |folder| {
        let scenario = stage(folder).expect("the scenario is valid");
        match ScenarioOutcome::read_accepted(&scenario) {
            Ok(outcome) => {
                let outcome = outcome.expect("the file is there");
                let written = outcome.to_json().unwrap();
                let again: ScenarioOutcome =
                    serde_json::from_slice(&written).expect("an outcome can be read again");
                assert_eq!(differences(&outcome, &again).unwrap(), []);
                assert_eq!(again.to_json().unwrap(), written);
            }
            Err(error) => assert!(!format!("{error:?}").is_empty()),
        }
    });
}
