//! Expectations as a scenario's file has them.

use nightfold::consolidate::review::MemoryFate;
use nightfold_memory::{MemoryId, NightLabel, NpcId};
use toml::Table;

/// Returns the expectation that a memory has this fate after a night, as a table of `scenario.toml`.
pub fn expected_fate(npc: &NpcId, id: &MemoryId, night: &NightLabel, fate: MemoryFate) -> String {
    let kind = match fate {
        MemoryFate::Kept => "kept",
        MemoryFate::Synthesized => "told",
        MemoryFate::Corroborated => "known",
        MemoryFate::Contested => "contested",
        MemoryFate::Superseded => "superseded",
        MemoryFate::Archived => "forgotten",
    };
    let keys = [(kind, id.to_string()), ("npc", npc.to_string()), ("after", night.to_string())];
    let table: Table = keys.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect();
    format!("[[expect]]\n{table}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::ExpectTable;

    #[test]
    fn every_fate_is_an_expectation_of_the_format() {
        let (npc, id) = ("Mara \"the miller\"".parse().unwrap(), "m-1".parse().unwrap());
        let night = "1204-05-03".parse().unwrap();
        for fate in [
            MemoryFate::Kept,
            MemoryFate::Synthesized,
            MemoryFate::Corroborated,
            MemoryFate::Contested,
            MemoryFate::Superseded,
            MemoryFate::Archived,
        ] {
            let text = expected_fate(&npc, &id, &night, fate);
            let table = text.strip_prefix("[[expect]]\n").unwrap();
            let read: ExpectTable = toml::from_str(table).unwrap();
            let kinds = [read.kept, read.told, read.known, read.contested, read.superseded, read.forgotten];
            assert_eq!(kinds.iter().flatten().count(), 1, "{text}");
            assert!(read.npc.is_some() && read.after.is_some(), "{text}");
        }
    }
}
