//! Talk whose turns people voted to be worth remembering: LUFY (Sumida et al. 2024).

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use nightfold_memory::{Day, GameTime, Kind, Memory, MemoryId, NightLabel, NpcId};
use serde::Deserialize;

use super::{DataError, file::TextFile};

/// Sessions of one person, and the votes for the person's turns.
#[derive(Debug, Clone, PartialEq)]
pub struct VotedRun {
    /// Name of the run.
    pub name: String,
    /// Sessions in order of time, each a day of the person.
    pub days: Vec<Day>,
    /// Number of people who found a turn worth remembering, for every turn that was put to the vote.
    pub votes: BTreeMap<MemoryId, u8>,
}

#[derive(Deserialize)]
struct VotedLine {
    run: String,
    session: NightLabel,
    npc: NpcId,
    id: MemoryId,
    timestamp: GameTime,
    text: String,
    votes: Option<u8>,
}

/// Reads `memories.jsonl` in a folder. Turns without votes stay in their day and are not measured.
///
/// # Errors
/// [`DataError`] if the file is missing or holds a line of another shape, if a run has two people or two
/// turns of one id, or if nothing was voted for.
pub fn voted_runs(dir: &Path) -> Result<Vec<VotedRun>, DataError> {
    let file = TextFile::read(dir, "memories.jsonl")?;
    let lines: Vec<(usize, VotedLine)> = file.jsonl()?;
    let mut by_run: BTreeMap<String, Vec<VotedLine>> = BTreeMap::new();
    let mut seen: BTreeSet<(String, MemoryId)> = BTreeSet::new();
    for (number, line) in lines {
        let of = by_run.entry(line.run.clone()).or_default();
        let stranger = of.first().is_some_and(|first| first.npc != line.npc);
        if stranger || !seen.insert((line.run.clone(), line.id.clone())) {
            let problem = format!("{:?} occurs twice in its run, or is another person's", line.id);
            return Err(file.wrong(number, problem));
        }
        of.push(line);
    }
    let runs: Vec<VotedRun> = by_run.into_iter().map(|(name, lines)| run(name, lines)).collect();
    if runs.iter().all(|run| run.votes.is_empty()) {
        return Err(DataError::empty(file.path));
    }
    Ok(runs)
}

fn run(name: String, lines: Vec<VotedLine>) -> VotedRun {
    let votes = lines.iter().filter_map(|line| Some((line.id.clone(), line.votes?))).collect();
    let mut sessions: BTreeMap<NightLabel, (NpcId, Vec<Memory>)> = BTreeMap::new();
    for line in lines {
        let VotedLine { npc, id, timestamp, text, .. } = line;
        let (_, memories) = sessions.entry(line.session).or_insert_with(|| (npc.clone(), Vec::new()));
        memories.push(Memory::new(npc, id, timestamp, Kind::Chat, text));
    }
    let day = |(night, (npc, mut memories)): (NightLabel, (NpcId, Vec<Memory>))| {
        memories.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
        let until = memories.last().map_or(GameTime::ZERO, |memory| memory.at);
        Day::new(npc, night, until, memories)
    };
    let mut days: Vec<Day> = sessions.into_iter().map(day).collect();
    days.sort_by(|a, b| (a.until, &a.night).cmp(&(b.until, &b.night)));
    VotedRun { name, days, votes }
}

#[cfg(test)]
mod tests {
    use super::{super::fixture::folder, *};

    fn read(lines: &str) -> Result<Vec<VotedRun>, DataError> {
        voted_runs(folder(&[("memories.jsonl", lines)]).path())
    }

    fn line(id: &str, npc: &str, session: u32, votes: &str) -> String {
        format!(
            r#"{{"npc":"{npc}","id":"{id}","timestamp":"2024-01-0{session}T09:00:00","kind":"chat","text":"I ran","run":"a","session":"s{session}","votes":{votes}}}"#
        )
    }

    #[test]
    fn session_is_a_day_and_turns_without_votes_stay_in_it() {
        let lines =
            [line("t2", "Ann", 2, "3"), line("t1", "Ann", 1, "null"), line("t0", "Ann", 1, "0")].join("\n");
        let runs = read(&lines).unwrap();
        let days: Vec<_> = runs[0].days.iter().map(|day| (day.night.as_str(), day.memories.len())).collect();
        assert_eq!(days, [("s1", 2), ("s2", 1)]);
        let votes: Vec<_> = runs[0].votes.iter().map(|(id, votes)| (id.as_str(), *votes)).collect();
        assert_eq!(votes, [("t0", 0), ("t2", 3)]);
    }

    #[test]
    fn two_people_in_one_run_and_turns_without_any_vote_are_refused() {
        let mixed = [line("t0", "Ann", 1, "0"), line("t1", "Bo", 1, "1")].join("\n");
        assert!(read(&mixed).unwrap_err().to_string().contains("memories.jsonl:2: "));
        assert!(matches!(read(&line("t0", "Ann", 1, "null")), Err(DataError::File { .. })));
    }
}
