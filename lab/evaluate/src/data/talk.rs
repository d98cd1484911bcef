//! Talk of people and days of simulated ones, whose changes of beliefs are counted: LoCoMo, REALTALK, Topical-Chat
//! (Gopalakrishnan et al. 2019), Generative Agents (Park et al. 2023).

use std::{fs, path::Path};

use anyhow::{Context as _, Result, ensure};
use nightfold_memory::{Memory, NpcId};
use sha2::{Digest, Sha256};

use super::{TextFile, conversations};

/// Set of memories without a key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TalkSet {
    /// Name of the set, which is that of its folder.
    pub(crate) name: &'static str,
    /// Memories of one store each; NPCs of different stores may share a name.
    pub(crate) stores: Vec<Vec<Memory>>,
}

/// Conversations that are measured, by set; the other ones stay unseen.
const CONVERSATIONS: [(&str, [&str; 3]); 2] =
    [("locomo", ["conv-26", "conv-30", "conv-41"]), ("realtalk", ["chat-1", "chat-2", "chat-3"])];

const TOPICAL: &str = "topical_chat";
const TOPICAL_FILES: [&str; 2] = ["valid_freq.jsonl", "valid_rare.jsonl"];
/// One conversation of Topical-Chat in this number is measured, by a hash of its name.
const ONE_OF: u32 = 12;
/// End of the name of the first speaker, whose copy of each turn is read.
const FIRST: &str = "-1";

const SIMULATED: &str = "generative_agents";

/// Reads those sets whose folders are in `dir`. A conversation is heard by one NPC, which is none of its speakers.
///
/// # Errors
/// There is no such folder, or a file is missing or holds a line of another shape.
pub(crate) fn talk_sets(dir: &Path) -> Result<Vec<TalkSet>> {
    let is_given = |name: &str| dir.join(name).is_dir();
    let mut sets = Vec::new();
    for (name, chosen) in CONVERSATIONS.into_iter().filter(|(name, _)| is_given(name)) {
        let mut heard = Vec::new();
        for one in conversations(&dir.join(name))?.iter().filter(|c| chosen.contains(&c.name.as_str())) {
            let npc = format!("{name}-{}", one.name);
            heard.extend(one.turns().map(|turn| of_listener(turn.clone(), &npc, turn.npc.as_str())));
        }
        sets.push(TalkSet { name, stores: vec![heard] });
    }
    if is_given(TOPICAL) {
        sets.push(TalkSet { name: TOPICAL, stores: vec![topical(&dir.join(TOPICAL))?] });
    }
    if is_given(SIMULATED) {
        sets.push(TalkSet { name: SIMULATED, stores: simulated(&dir.join(SIMULATED))? });
    }
    ensure!(!sets.is_empty(), "there is no {} in {}", CONVERSATIONS[0].0, dir.display());
    Ok(sets)
}

/// Returns a turn as the memory of an NPC that hears it.
fn of_listener(turn: Memory, npc: &str, speaker: &str) -> Memory {
    turn.with(|memory| {
        memory.actors = vec![speaker.to_owned()];
        // A name that is too long for an NPC stays the speaker's.
        memory.npc = NpcId::new(npc).unwrap_or_else(|_| memory.npc.clone());
    })
}

fn topical(dir: &Path) -> Result<Vec<Memory>> {
    let mut heard = Vec::new();
    for file in TOPICAL_FILES {
        for memory in TextFile::read(&dir.join(file))?.lines::<Memory>()? {
            let Some(run) = memory.npc.as_str().strip_suffix(FIRST).filter(|run| is_chosen(run)) else {
                continue;
            };
            let (npc, speaker) = (format!("tc-{run}"), memory.actors.first().cloned().unwrap_or_default());
            heard.push(of_listener(memory, &npc, &speaker));
        }
    }
    Ok(heard)
}

/// True if the hash of a name, as a number, is divisible by [`ONE_OF`].
fn is_chosen(run: &str) -> bool {
    Sha256::digest(run).iter().fold(0, |rest, &byte| (rest * 256 + u32::from(byte)) % ONE_OF) == 0
}

/// Reads every file of lines in a folder, each a simulation of its own, by name.
///
/// # Errors
/// The folder is missing, or a line is no memory.
pub(crate) fn simulated(dir: &Path) -> Result<Vec<Vec<Memory>>> {
    let entries = fs::read_dir(dir).with_context(|| dir.display().to_string())?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    files.retain(|path| path.extension().is_some_and(|e| e == "jsonl"));
    files.sort();
    files.iter().map(|file| TextFile::read(file)?.lines()).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::fixture::folder, *};

    fn turn(id: &str, npc: &str, run: &str) -> String {
        format!(
            r#"{{"id":"{id}","npc":"{npc}","at":"2024-03-01T09:00:00","kind":"chat","text":"Hi","actors":["{run}-2"],"run":"{run}","session":"s"}}"#
        )
    }

    #[test]
    fn conversation_has_one_listener_and_names_the_speaker_of_each_turn() {
        let [chosen, other] = [true, false].map(|is| {
            let run = (0..99).map(|n| format!("v{n}")).find(|run| is_chosen(run) == is);
            run.unwrap()
        });
        let lines = |run: &str| [1, 2].map(|of| turn(&format!("{run}-{of}"), &format!("{run}-{of}"), run));
        let topical = [lines(&chosen), lines(&other)].concat().join("\n");
        let talk = turn("conv-26/D1:1", "Ann", "conv-26").replace("\"at\"", "\"timestamp\"");
        let dir = folder(&[
            ("locomo/memories.jsonl", &talk),
            ("locomo/questions.jsonl", r#"{"conv":"conv-26","question":"Who?","evidence":["conv-26/D1:1"]}"#),
            ("topical_chat/valid_freq.jsonl", &topical),
            ("topical_chat/valid_rare.jsonl", ""),
            ("generative_agents/b.jsonl", &turn("m", "Bo", "r")),
            ("generative_agents/a.jsonl", ""),
        ]);
        let sets = talk_sets(dir.path()).unwrap();
        let found: Vec<(&str, &str, &[String])> = sets
            .iter()
            .flat_map(|set| set.stores.iter().flatten().map(|m| (set.name, m.npc.as_str(), &m.actors[..])))
            .collect();
        let second = |run: &str| [format!("{run}-2")];
        assert_eq!(
            found,
            [
                ("locomo", "locomo-conv-26", &["Ann".to_owned()][..]),
                (TOPICAL, format!("tc-{chosen}").as_str(), &second(&chosen)[..]),
                (SIMULATED, "Bo", &second("r")[..]),
            ]
        );
        assert_eq!(sets[2].stores.iter().map(Vec::len).collect::<Vec<_>>(), [0, 1]);
        assert!(talk_sets(&dir.path().join("locomo")).is_err());
    }
}
