//! Parsing of a model's answer.
//!
//! The shape is enforced strictly: no additional field, none missing, no other type. Checks that the night
//! makes better are left to the night: empty, overlong and untrue texts, and too few citations. Small
//! deviations are repaired, since asking again would cost more: a code fence around the JSON is removed, ids
//! that were not given are dropped, insights beyond the requested number are left out, and a confidence out
//! of range is clamped.

use nightfold_memory::{Answer, MemoryId, ReflectionKind, Stance, TaskKind};
use serde::{Deserialize, de::DeserializeOwned};

use crate::{
    object::Object,
    prompt::place_of_alias,
    text::{clean, clean_short},
};

/// Longest answer that is read, in bytes.
pub const MAX_ANSWER_BYTES: usize = 65_536;

/// Maximum number of characters of a description of a wrong shape: serde quotes the answer in it.
const MAX_PROBLEM: usize = 200;

/// Error in the shape of an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AnswerError {
    /// The answer is longer than [`MAX_ANSWER_BYTES`].
    #[error("it is {bytes} bytes long, and at most {MAX_ANSWER_BYTES} are read")]
    TooLong {
        /// Length of the answer in bytes.
        bytes: usize,
    },
    /// The answer is not the JSON that was asked for.
    #[error("it is not the JSON that was asked for: {problem}")]
    Json {
        /// Description of the problem, on one line of at most 200 characters.
        problem: String,
    },
    /// A text contains a control character, which could steer a terminal.
    #[error("its text {index} holds the control character U+{code:04X}")]
    Control {
        /// Index of the text, from 0.
        index: usize,
        /// The control character.
        code: u32,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SynthesisAnswer {
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InsightsAnswer<T> {
    insights: Vec<Object<T>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReflectionAnswer {
    cites: Vec<String>,
    confidence: f64,
    kind: InsightKind,
    text: String,
}

/// Kind of an insight within one theme; a connection is asked for separately.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct InsightKind(ReflectionKind);

impl TryFrom<String> for InsightKind {
    type Error = String;

    fn try_from(kind: String) -> Result<Self, String> {
        let kinds = [
            ReflectionKind::Pattern,
            ReflectionKind::Causal,
            ReflectionKind::Social,
            ReflectionKind::Oneself,
        ];
        let known = kinds.into_iter().find(|known| known.as_str() == kind);
        known.map(Self).ok_or_else(|| format!("unknown kind `{kind}`"))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConnectionAnswer {
    cites: Vec<String>,
    confidence: f64,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StanceAnswer {
    stance: Stance,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SupportAnswer {
    verdict: SupportVerdict,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum SupportVerdict {
    Holds,
    Wrong,
    Open,
}

impl SupportVerdict {
    fn stance(&self) -> Stance {
        match self {
            Self::Holds => Stance::Same,
            Self::Wrong => Stance::Contradiction,
            Self::Open => Stance::Unrelated,
        }
    }
}

/// Ids that an answer may cite.
#[derive(Clone, Copy)]
pub(crate) struct Citable<'a> {
    /// Ids of the memories of the day.
    pub(crate) today: &'a [&'a MemoryId],
    /// Ids of the entries of earlier nights.
    pub(crate) earlier: &'a [&'a MemoryId],
}

impl<'a> Citable<'a> {
    /// Returns the id with this alias.
    fn named(self, alias: &str) -> Option<&'a MemoryId> {
        let place = place_of_alias(alias, self.today.len(), self.earlier.len())?;
        self.today.iter().chain(self.earlier).nth(place).copied()
    }
}

/// Parses the answers of a task in which these memories may be cited.
///
/// # Errors
/// Returns [`AnswerError`] if the shape is wrong.
pub(crate) fn read(kind: TaskKind, citable: Citable<'_>, said: &str) -> Result<Vec<Answer>, AnswerError> {
    if said.len() > MAX_ANSWER_BYTES {
        return Err(AnswerError::TooLong { bytes: said.len() });
    }
    let said = without_code_fence(said);
    let answers = match kind {
        TaskKind::Synthesis => {
            let SynthesisAnswer { text } = parse(said)?;
            let cites = cited(citable.today.iter().copied());
            vec![Answer { text: one_line(0, &text)?, kind: None, cites, confidence: None }]
        }
        TaskKind::Reflections { slots } => {
            let insights: InsightsAnswer<ReflectionAnswer> = parse(said)?;
            let read = |(index, insight): (usize, ReflectionAnswer)| {
                insight_answer(
                    index,
                    &insight.text,
                    insight.kind.0,
                    &insight.cites,
                    citable,
                    insight.confidence,
                )
            };
            requested(insights.insights, slots).enumerate().map(read).collect::<Result<_, _>>()?
        }
        TaskKind::Connection { .. } => {
            let insights: InsightsAnswer<ConnectionAnswer> = parse(said)?;
            let read = |(index, insight): (usize, ConnectionAnswer)| {
                let kind = ReflectionKind::Connection;
                insight_answer(index, &insight.text, kind, &insight.cites, citable, insight.confidence)
            };
            requested(insights.insights, 1).enumerate().map(read).collect::<Result<_, _>>()?
        }
        TaskKind::Stance => {
            let StanceAnswer { stance } = parse(said)?;
            vec![stance_answer(stance, citable)]
        }
        TaskKind::Support => {
            let SupportAnswer { verdict } = parse(said)?;
            vec![stance_answer(verdict.stance(), citable)]
        }
    };
    Ok(answers)
}

fn stance_answer(stance: Stance, citable: Citable<'_>) -> Answer {
    let cites = cited(citable.today.iter().copied());
    Answer { text: stance.as_str().to_owned(), kind: None, cites, confidence: None }
}

/// Returns the answer without surrounding white space and code fence.
fn without_code_fence(said: &str) -> &str {
    let said = said.trim();
    let fenced = said.strip_prefix("```").and_then(|said| said.strip_suffix("```"));
    fenced.map_or(said, |inside| inside.strip_prefix("json").unwrap_or(inside).trim())
}

fn parse<T: DeserializeOwned>(said: &str) -> Result<T, AnswerError> {
    let problem = |error: serde_json::Error| clean_short(&error.to_string(), MAX_PROBLEM);
    let Object(answer) =
        serde_json::from_str(said).map_err(|error| AnswerError::Json { problem: problem(error) })?;
    Ok(answer)
}

fn requested<T>(insights: Vec<Object<T>>, most: usize) -> impl Iterator<Item = T> {
    if insights.len() > most {
        tracing::debug!(given = insights.len(), most, "insights that were not asked for are left out");
    }
    insights.into_iter().take(most).map(|Object(insight)| insight)
}

fn insight_answer(
    index: usize,
    text: &str,
    kind: ReflectionKind,
    cites: &[String],
    citable: Citable<'_>,
    confidence: f64,
) -> Result<Answer, AnswerError> {
    let known: Vec<&MemoryId> = cites.iter().filter_map(|name| citable.named(name)).collect();
    if known.len() < cites.len() {
        let unknown = cites.len() - known.len();
        tracing::debug!(unknown, known = known.len(), "ids that were not given are dropped");
    }
    Ok(Answer {
        text: one_line(index, text)?,
        kind: Some(kind),
        cites: cited(known.into_iter()),
        confidence: Some(confidence.clamp(0.0, 1.0) as f32),
    })
}

/// Returns each id once, in the order in which they are named.
fn cited<'a>(ids: impl Iterator<Item = &'a MemoryId>) -> Vec<MemoryId> {
    let mut seen = std::collections::BTreeSet::new();
    ids.filter(|id| seen.insert(*id)).cloned().collect()
}

/// Returns the text on one line, without invisible characters.
fn one_line(index: usize, text: &str) -> Result<String, AnswerError> {
    match text.chars().find(|c| c.is_control() && !c.is_whitespace()) {
        Some(c) => Err(AnswerError::Control { index, code: u32::from(c) }),
        None => Ok(clean(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids() -> Vec<MemoryId> {
        ["a", "b", "c", "b"].map(|id| MemoryId::new(id).unwrap()).to_vec()
    }

    fn read_of(kind: TaskKind, said: &str) -> Result<Vec<Answer>, AnswerError> {
        let (ids, earlier) = (ids(), MemoryId::new("old").unwrap());
        read(kind, Citable { today: &ids.iter().collect::<Vec<_>>(), earlier: &[&earlier] }, said)
    }

    fn names(answer: &Answer) -> Vec<&str> {
        answer.cites.iter().map(MemoryId::as_str).collect()
    }

    const TWO: TaskKind = TaskKind::Reflections { slots: 2 };
    const JOINED: TaskKind = TaskKind::Connection { first: 1 };

    #[test]
    fn answer_of_each_kind_is_read() {
        let said = read_of(TaskKind::Synthesis, " {\"text\": \" I swept\\n the  room. \"} ").unwrap();
        assert_eq!(said[0].text, "I swept the room.");
        assert_eq!(names(&said[0]), ["a", "b", "c"]);
        assert_eq!((said[0].kind, said[0].confidence), (None, None));
        let same = read_of(TaskKind::Stance, "{\"stance\":\"same\"}").unwrap();
        assert_eq!(same[0].text, "same");
        for (said, stance) in [("holds", "same"), ("wrong", "contradiction"), ("open", "unrelated")] {
            let read = read_of(TaskKind::Support, &format!("{{\"verdict\":\"{said}\"}}")).unwrap();
            assert_eq!(read[0].text, stance);
        }
        let one = r#"{"insights":[{"cites":["m1","m2"],"confidence":0.6,"text":"I see."}]}"#;
        assert_eq!(read_of(JOINED, one).unwrap()[0].kind, Some(ReflectionKind::Connection));
    }

    #[test]
    fn insights_cite_only_given_ids() {
        let said = read_of(
            TWO,
            r#"{"insights":[
                {"cites":["m3","m1","m3","m9","a","m0","e1","e2"],"confidence":7,"kind":"self","text":"I\u200b see."},
                {"text":"","kind":"causal","confidence":-0.5,"cites":["m4","m2"]},
                {"cites":[],"confidence":0.5,"kind":"social","text":"a third"}]}"#,
        )
        .unwrap();
        assert_eq!(said.len(), 2, "two were asked for");
        assert_eq!((names(&said[0]), said[0].kind), (vec!["c", "a", "old"], Some(ReflectionKind::Oneself)));
        assert_eq!((said[0].text.as_str(), said[0].confidence), ("I see.", Some(1.0)));
        assert_eq!((names(&said[1]), said[1].kind), (vec!["b"], Some(ReflectionKind::Causal)));
        assert_eq!((said[1].text.as_str(), said[1].confidence), ("", Some(0.0)));
        assert_eq!(read_of(TWO, r#"{"insights":[]}"#), Ok(vec![]));
    }

    #[test]
    fn code_fence_is_removed() {
        for said in ["```json\n{\"insights\":[]}\n```", "``` {\"insights\":[]} ```", "\n{\"insights\":[]}\n"]
        {
            assert_eq!(read_of(TWO, said), Ok(vec![]), "{said}");
        }
    }

    #[test]
    fn wrong_shape_is_an_error_that_names_the_problem() {
        for (kind, said, words) in [
            (TaskKind::Synthesis, "", "EOF"),
            (TaskKind::Synthesis, "{\"text\":\"I swept\"} And so on.", "trailing"),
            (TaskKind::Synthesis, "{\"insights\":[]}", "unknown field `insights`"),
            (TaskKind::Synthesis, "{\"text\":\"a\",\"text\":\"b\"}", "duplicate field `text`"),
            (TaskKind::Synthesis, "[\"I swept\"]", "expected an object"),
            (TWO, "{\"insights\":[[[],1,\"self\",\"I see.\"]]}", "expected an object"),
            (TWO, "{\"insights\":[{\"kind\":\"connection\"}]}", "unknown kind `connection`"),
            (
                TWO,
                "{\"insights\":[{\"cites\":[],\"kind\":\"self\",\"text\":\"\"}]}",
                "missing field `confidence`",
            ),
            (JOINED, "{\"insights\":[{\"kind\":\"self\"}]}", "unknown field `kind`"),
            (TaskKind::Stance, "{\"stance\":\"Same\"}", "unknown variant `Same`"),
            (TaskKind::Stance, "{\"stance\":\"same\",\"because\":\"m1\"}", "unknown field `because`"),
        ] {
            match read_of(kind, said) {
                Err(AnswerError::Json { problem }) => assert!(problem.contains(words), "{said}: {problem}"),
                other => panic!("{said}: {other:?}"),
            }
        }
        let deep = "[".repeat(10_000);
        assert!(matches!(read_of(TWO, &format!("{{\"insights\":{deep}")), Err(AnswerError::Json { .. })));
        let long = " ".repeat(MAX_ANSWER_BYTES + 1);
        assert_eq!(read_of(TWO, &long), Err(AnswerError::TooLong { bytes: MAX_ANSWER_BYTES + 1 }));
    }

    #[test]
    fn control_characters_reach_neither_answers_nor_errors() {
        let error = read_of(TaskKind::Synthesis, "{\"text\":\"gone \\u001b[2J\"}").unwrap_err();
        assert_eq!(error.to_string(), "its text 0 holds the control character U+001B");
        assert!(read_of(TaskKind::Synthesis, "{\"text\":\"\\u009b\"}").is_err());
        let error = read_of(TaskKind::Synthesis, &format!("{{\"{}\\u001b[2J\\u202e\":1}}", "x".repeat(9)))
            .unwrap_err();
        assert!(!error.to_string().contains(['\u{1b}', '\u{202e}']), "{error}");
        let error =
            read_of(TWO, &format!("{{\"insights\":[{{\"kind\":\"{}\"}}]}}", "x".repeat(9_000))).unwrap_err();
        assert!(error.to_string().chars().count() < 260, "{error}");
    }
}
