//! Long conversations over many sessions, and questions about them with their evidence: LoCoMo (Maharana et al. 2024),
//! REALTALK (Lee et al. 2025), BEAM (Tavakoli et al. 2025).

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use nightfold_memory::{Day, GameTime, Importance, Kind, Memory, MemoryId, NightLabel, NpcId};
use serde::Deserialize;
use serde_json::Value;

use super::{DataError, file::TextFile};

/// A question, its answer, and the turns that it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationQuestion {
    /// Text of the question.
    pub text: String,
    /// Answer of the data set, in words; may be empty.
    pub answer: String,
    /// Ids of the turns that answer it; at least one.
    pub evidence: Vec<MemoryId>,
    /// For a question on what changed or was contradicted, the turns with the earlier and those with the later
    /// statement; empty for others.
    pub change: StatementChange,
}

/// Turns that state something, and later ones that replace or contradict it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StatementChange {
    /// Turns with the earlier statement.
    pub earlier: Vec<MemoryId>,
    /// Turns with the later statement.
    pub later: Vec<MemoryId>,
}

impl StatementChange {
    /// True if turns of both statements are known, and none states both.
    pub fn is_known(&self) -> bool {
        let both = !self.earlier.is_empty() && !self.later.is_empty();
        both && !self.earlier.iter().any(|turn| self.later.contains(turn))
    }
}

/// Conversation over many days, of one speaker or of several.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    /// Name of the conversation.
    pub name: String,
    /// Turns of each speaker, one session per day: by session, then by name.
    pub days: Vec<Day>,
    /// Questions asked about it later.
    pub questions: Vec<ConversationQuestion>,
}

impl Conversation {
    /// Returns all turns, in the order of the days.
    pub fn turns(&self) -> impl Iterator<Item = &Memory> {
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
}

#[derive(Deserialize)]
struct QuestionLine {
    conv: String,
    question: String,
    #[serde(default)]
    answer: Option<Value>,
    evidence: Vec<MemoryId>,
    #[serde(default, alias = "first")]
    old: Vec<MemoryId>,
    #[serde(default, alias = "second")]
    new: Vec<MemoryId>,
}

impl QuestionLine {
    /// Returns the answer in words; some sets write a year as a number.
    fn answer(&self) -> String {
        match &self.answer {
            Some(Value::String(words)) => words.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        }
    }
}

/// Reads `memories.jsonl` and `questions.jsonl` in a folder. Of the memories only the turns
/// of dialogue (`chat`) are read: all further memories are notes derived from the turns. Questions without
/// evidence are skipped.
///
/// # Errors
/// [`DataError`] if a file is missing or holds a line of another shape, if a question refers to a
/// missing conversation or turn, or if there is no question at all.
pub fn conversations(dir: &Path) -> Result<Vec<Conversation>, DataError> {
    let memories = TextFile::read(dir, "memories.jsonl")?;
    let questions = TextFile::read(dir, "questions.jsonl")?;
    let lines: Vec<(usize, TurnLine)> = memories.jsonl()?;
    let asked: Vec<(usize, QuestionLine)> = questions.jsonl()?;

    let mut by_run: BTreeMap<String, Vec<TurnLine>> = BTreeMap::new();
    for (_, line) in lines.into_iter().filter(|(_, line)| line.kind == "chat") {
        by_run.entry(line.run.clone()).or_default().push(line);
    }
    let mut conversations: Vec<Conversation> = by_run
        .into_iter()
        .map(|(name, lines)| Conversation { name, days: days(lines), questions: Vec::new() })
        .collect();
    let turns: BTreeMap<String, BTreeSet<MemoryId>> =
        conversations.iter().map(|c| (c.name.clone(), c.turns().map(|m| m.id.clone()).collect())).collect();
    for (line, question) in asked.into_iter().filter(|(_, q)| !q.evidence.is_empty()) {
        let known = turns.get(&question.conv);
        let named = [&question.evidence, &question.old, &question.new].into_iter().flatten();
        let stray = named.into_iter().find(|id| !known.is_some_and(|known| known.contains(*id)));
        if let Some(id) = stray {
            return Err(questions.wrong(line, format!("the evidence {id:?} is no turn of that conversation")));
        }
        if let Some(of) = conversations.iter_mut().find(|c| c.name == question.conv) {
            let answer = question.answer();
            of.questions.push(ConversationQuestion {
                text: question.question,
                answer,
                evidence: question.evidence,
                change: StatementChange { earlier: question.old, later: question.new },
            });
        }
    }
    conversations.retain(|c| !c.questions.is_empty());
    if conversations.is_empty() {
        return Err(DataError::empty(dir));
    }
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

    fn read(questions: &str) -> Result<Vec<Conversation>, DataError> {
        conversations(folder(&[("memories.jsonl", TURNS), ("questions.jsonl", questions)]).path())
    }

    #[test]
    fn session_becomes_a_day_per_speaker_and_notes_are_no_turns() {
        let read = read(
            r#"{"conv":"c","question":"Who ran?","evidence":["c/1:1"]}
{"conv":"c","question":"Why?","evidence":[]}"#,
        );
        let conversations = read.unwrap();
        let days: Vec<_> = conversations[0]
            .days
            .iter()
            .map(|d| (d.night.as_str(), d.npc.as_str(), d.memories.len()))
            .collect();
        assert_eq!(days, [("session_1", "Ann", 1), ("session_1", "Bo", 1), ("session_2", "Bo", 1)]);
        assert_eq!(conversations[0].questions.len(), 1);
    }

    #[test]
    fn missing_evidence_is_named() {
        let error =
            read(r#"{"conv":"c","question":"Who ran?","evidence":["c/obs"]}"#).unwrap_err().to_string();
        assert!(error.contains("questions.jsonl:1: ") && error.contains("c/obs"), "{error}");
        assert!(matches!(read(""), Err(DataError::File { .. })));
    }
}
