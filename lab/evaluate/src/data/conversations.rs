//! Long conversations over many sessions: with questions about them and their evidence (LoCoMo, Maharana et al. 2024;
//! REALTALK, Lee et al. 2025; BEAM, Tavakoli et al. 2025), or with votes for what is worth remembering (LUFY, Sumida et
//! al. 2024).

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::{Result, ensure};
use nightfold_memory::{Day, GameTime, Importance, Kind, Memory, MemoryId, NightLabel, NpcId};
use serde::Deserialize;
use serde_json::Value;

use super::TextFile;

/// A question, its answer, and the turns that it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConversationQuestion {
    /// Text of the question.
    pub(crate) text: String,
    /// Answer of the data set, in words; may be empty.
    pub(crate) answer: String,
    /// Ids of the turns that answer it; at least one.
    pub(crate) evidence: Vec<MemoryId>,
}

/// Conversation over many days, of one speaker or of several.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Conversation {
    /// Name of the conversation.
    pub(crate) name: String,
    /// Turns of each speaker, one session per day: by session, then by name.
    pub(crate) days: Vec<Day>,
    /// Questions asked about it later.
    pub(crate) questions: Vec<ConversationQuestion>,
    /// Number of people who found a turn worth remembering, for every turn that was put to the vote.
    pub(crate) votes: BTreeMap<MemoryId, u8>,
}

impl Conversation {
    /// Returns all turns, in the order of the days.
    pub(crate) fn turns(&self) -> impl Iterator<Item = &Memory> {
        self.days.iter().flat_map(|day| &day.memories)
    }
}

#[derive(Deserialize)]
struct TurnLine {
    run: String,
    session: NightLabel,
    npc: NpcId,
    id: MemoryId,
    timestamp: GameTime,
    kind: String,
    text: String,
    importance: Option<Importance>,
    votes: Option<u8>,
}

#[derive(Deserialize)]
struct QuestionLine {
    conv: String,
    question: String,
    /// Some sets write a year as a number.
    answer: Option<Value>,
    evidence: Vec<MemoryId>,
}

/// Reads `memories.jsonl` and, if it is there, `questions.jsonl` in a folder. Of the memories only the turns
/// of dialogue (`chat`) are read: all further memories are notes derived from the turns. Questions without
/// evidence are skipped, and so are conversations without questions and votes.
///
/// # Errors
/// A file is missing or holds a line of another shape, a question refers to a missing turn, or nothing is asked or voted.
pub(crate) fn conversations(dir: &Path) -> Result<Vec<Conversation>> {
    let turns: Vec<TurnLine> = TextFile::read(&dir.join("memories.jsonl"))?.lines()?;
    let questions = TextFile::find(&dir.join("questions.jsonl"))?;
    let asked: Vec<QuestionLine> = questions.map_or(Ok(Vec::new()), |file| file.lines())?;

    let mut by_run: BTreeMap<String, Vec<TurnLine>> = BTreeMap::new();
    for line in turns.into_iter().filter(|line| line.kind == "chat") {
        by_run.entry(line.run.clone()).or_default().push(line);
    }
    let of_run = |(name, lines): (String, Vec<TurnLine>)| {
        let votes = lines.iter().filter_map(|line| Some((line.id.clone(), line.votes?))).collect();
        Conversation { name, days: days(lines), questions: Vec::new(), votes }
    };
    let mut conversations: Vec<Conversation> = by_run.into_iter().map(of_run).collect();
    let known: BTreeSet<MemoryId> =
        conversations.iter().flat_map(Conversation::turns).map(|turn| turn.id.clone()).collect();
    for line in asked.into_iter().filter(|line| !line.evidence.is_empty()) {
        let QuestionLine { conv, question: text, answer, evidence } = line;
        if let Some(id) = evidence.iter().find(|id| !known.contains(*id)) {
            anyhow::bail!("{}: {text:?}: the evidence {id:?} is no turn", dir.display());
        }
        let answer = match answer {
            Some(Value::String(words)) => words,
            other => other.map(|value| value.to_string()).unwrap_or_default(),
        };
        for one in conversations.iter_mut().filter(|one| one.name == conv) {
            let (text, answer, evidence) = (text.clone(), answer.clone(), evidence.clone());
            one.questions.push(ConversationQuestion { text, answer, evidence });
        }
    }
    conversations.retain(|one| !one.questions.is_empty() || !one.votes.is_empty());
    ensure!(!conversations.is_empty(), "{}: nothing there is labelled", dir.display());
    Ok(conversations)
}

fn days(lines: Vec<TurnLine>) -> Vec<Day> {
    let mut by_day: BTreeMap<(NightLabel, NpcId), Vec<Memory>> = BTreeMap::new();
    let mut began: BTreeMap<NightLabel, GameTime> = BTreeMap::new();
    for line in lines {
        let first = began.entry(line.session.clone()).or_insert(line.timestamp);
        *first = (*first).min(line.timestamp);
        by_day.entry((line.session, line.npc.clone())).or_default().push(
            Memory::new(line.npc, line.id, line.timestamp, Kind::Chat, line.text).with(|memory| {
                memory.importance = line.importance;
            }),
        );
    }
    let mut days: Vec<Day> = by_day
        .into_iter()
        .map(|((night, npc), mut memories)| {
            memories.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
            let until = memories.last().map_or(GameTime::ZERO, |m| m.at);
            Day::new(npc, night, until, memories)
        })
        .collect();
    days.sort_by(|a, b| {
        (began.get(&a.night), &a.night, &a.npc).cmp(&(began.get(&b.night), &b.night, &b.npc))
    });
    days
}

#[cfg(test)]
mod tests {
    use super::{super::fixture::folder, *};

    const TURNS: &str = r#"
{"npc":"Bo","id":"c/2:1","timestamp":"2023-05-09T10:00:00","kind":"chat","text":"Hi","importance":null,"run":"c","session":"session_2"}
{"npc":"Bo","id":"c/1:2","timestamp":"2023-05-08T10:00:20","kind":"chat","text":"Yes","importance":null,"run":"c","session":"session_1"}
{"npc":"Ann","id":"c/1:1","timestamp":"2023-05-08T10:00:00","kind":"chat","text":"I ran","importance":null,"run":"c","session":"session_1"}
{"npc":"Ann","id":"c/obs","timestamp":"2023-05-08T10:00:00","kind":"observation","text":"Ann ran","importance":null,"run":"c","session":"session_1"}"#;

    fn read(turns: &str, questions: &str) -> Result<Vec<Conversation>> {
        conversations(folder(&[("memories.jsonl", turns), ("questions.jsonl", questions)]).path())
    }

    #[test]
    fn session_becomes_a_day_per_speaker_and_notes_are_no_turns() {
        let questions = r#"{"conv":"c","question":"Who ran?","evidence":["c/1:1"]}
{"conv":"c","question":"Why?","evidence":[]}"#;
        let conversations = read(TURNS, questions).unwrap();
        let days = conversations[0].days.iter();
        let days: Vec<_> = days.map(|d| (d.night.as_str(), d.npc.as_str(), d.memories.len())).collect();
        assert_eq!(days, [("session_1", "Ann", 1), ("session_1", "Bo", 1), ("session_2", "Bo", 1)]);
        assert_eq!(conversations[0].questions.len(), 1);
    }

    #[test]
    fn turns_without_votes_stay_in_their_day() {
        let voted = TURNS.replacen("\"importance\"", "\"votes\":3,\"importance\"", 1);
        let conversations = read(&voted, "").unwrap();
        assert_eq!((conversations[0].turns().count(), conversations[0].votes.len()), (3, 1));
    }

    #[test]
    fn missing_evidence_and_nothing_asked_are_errors() {
        for (questions, said) in [
            (r#"{"conv":"c","question":"Who ran?","evidence":["c/obs"]}"#, "c/obs"),
            ("", "nothing there is labelled"),
        ] {
            let error = read(TURNS, questions).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
