//! Keys of recorded answers.

use std::fmt;

use nightfold_memory::{Request, TaskKind};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest, Sha256};

use crate::prompt::{canonical, version_for};

const DOMAIN: &str = "nightfold language task 1";

/// Key of a recorded answer: the SHA-256 of everything that the answer depends on. Two tasks share a key
/// exactly if they have the same kind with the same numbers, the same NPC's name, the same ids with the same
/// texts in the same order, the same faults, the same model, and the same prompts
/// ([`prompt_version`](crate::prompt_version)).
///
/// It is written as 64 hexadecimal digits in lower case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskKey([u8; 32]);

impl TaskKey {
    /// Returns the key of a model's answer to this request.
    pub fn of(model: &str, request: &Request<'_>) -> Self {
        Self::with_prompts(version_for(request.task.kind), model, request)
    }

    fn with_prompts(prompts: &str, model: &str, request: &Request<'_>) -> Self {
        let mut hash = Hash(Sha256::new());
        hash.text(DOMAIN);
        hash.text(prompts);
        hash.text(model);
        match request.task.kind {
            TaskKind::Synthesis => hash.text("synthesis"),
            TaskKind::Reflections { slots } => {
                hash.text("reflections");
                hash.number(slots);
            }
            TaskKind::Connection { first } => {
                hash.text("connection");
                hash.number(first);
            }
            TaskKind::Stance => hash.text("stance"),
        }
        hash.text(&request.task.me);
        hash.number(request.task.sources.len());
        for source in &request.task.sources {
            hash.text(source.id.as_str());
            hash.text(&source.text);
            hash.number(usize::from(source.verbatim));
        }
        let faults = canonical(request.faults);
        hash.number(faults.len());
        for fault in faults {
            hash.text(fault.as_str());
        }
        Self(hash.0.finalize().into())
    }
}

/// Hash of parts, each preceded by its length, so that no two lists of parts have the same bytes.
struct Hash(Sha256);

impl Hash {
    fn number(&mut self, number: usize) {
        self.0.update((number as u64).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len());
        self.0.update(text);
    }
}

impl fmt::Display for TaskKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for TaskKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TaskKey({self})")
    }
}

/// Error for a text that is not a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a key is 64 of the digits 0-9 and a-f")]
pub struct TaskKeyError;

impl std::str::FromStr for TaskKey {
    type Err = TaskKeyError;

    fn from_str(key: &str) -> Result<Self, TaskKeyError> {
        let digit = |b: u8| match b {
            b'0'..=b'9' => Ok(b - b'0'),
            b'a'..=b'f' => Ok(b - b'a' + 10),
            _ => Err(TaskKeyError),
        };
        let (pairs, rest) = key.as_bytes().as_chunks::<2>();
        if pairs.len() != 32 || !rest.is_empty() {
            return Err(TaskKeyError);
        }
        let mut bytes = [0; 32];
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Ok(Self(bytes))
    }
}

impl Serialize for TaskKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for TaskKey {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "TaskKey".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "SHA-256 of everything that an answer depends on, in hex.",
            "type": "string",
            "pattern": "^[0-9a-f]{64}$",
        })
    }
}

impl<'de> Deserialize<'de> for TaskKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use nightfold_memory::{Fault, LanguageTask, MemoryId, SourceText};

    use super::*;

    fn task(kind: TaskKind, sources: &[(&str, &str)]) -> LanguageTask {
        let sources = sources
            .iter()
            .map(|(id, text)| SourceText {
                id: MemoryId::new(id).unwrap(),
                text: (*text).to_owned(),
                verbatim: false,
            })
            .collect();
        LanguageTask { id: 3, kind, me: "Mara".into(), sources, tokens: 100, value: 0.5 }
    }

    #[test]
    fn equal_tasks_share_a_key_and_different_ones_do_not() {
        let pair = [("a", "I swept."), ("b", "Joss paid.")];
        let of = |model: &str, kind, sources: &[(&str, &str)], faults: &[Fault]| {
            TaskKey::of(model, &Request { task: &task(kind, sources), faults, tokens: 1 })
        };
        let two = TaskKind::Reflections { slots: 2 };
        let key = of("m", two, &pair, &[]);
        let mut other = task(two, &pair);
        (other.id, other.tokens, other.value) = (9, 7, 0.1);
        assert_eq!(TaskKey::of("m", &Request { task: &other, faults: &[], tokens: 9_999 }), key);
        let (mut renamed, mut kept) = (task(two, &pair), task(two, &pair));
        renamed.me = "Tom".into();
        kept.sources[1].verbatim = true;
        let [renamed, kept] =
            [renamed, kept].map(|task| TaskKey::of("m", &Request { task: &task, faults: &[], tokens: 1 }));

        let both = [Fault::Empty, Fault::TooLong];
        let keys = [
            TaskKey::with_prompts(
                "others",
                "m",
                &Request { task: &task(two, &pair), faults: &[], tokens: 1 },
            ),
            key,
            renamed,
            kept,
            of("n", two, &pair, &[]),
            of("m", TaskKind::Reflections { slots: 1 }, &pair, &[]),
            of("m", TaskKind::Connection { first: 2 }, &pair, &[]),
            of("m", TaskKind::Connection { first: 1 }, &pair, &[]),
            of("m", TaskKind::Synthesis, &pair, &[]),
            of("m", TaskKind::Stance, &pair, &[]),
            of("m", TaskKind::Stance, &[pair[1], pair[0]], &[]),
            of("m", two, &pair[..1], &[]),
            of("m", two, &[pair[1], pair[0]], &[]),
            of("m", two, &[("aI", " swept."), pair[1]], &[]),
            of("m", two, &[("a", "I swept. "), pair[1]], &[]),
            of("m", two, &pair, &[Fault::Empty]),
            of("m", two, &pair, &both),
        ];
        let distinct: std::collections::BTreeSet<TaskKey> = keys.into_iter().collect();
        assert_eq!(distinct.len(), keys.len());
        let again = [Fault::TooLong, Fault::Empty, Fault::TooLong];
        assert_eq!(of("m", two, &pair, &again), of("m", two, &pair, &both), "the prompt is the same");
    }

    #[test]
    fn task_key_round_trips_through_text() {
        let key =
            TaskKey::of("m", &Request { task: &task(TaskKind::Synthesis, &[]), faults: &[], tokens: 0 });
        let written = key.to_string();
        assert_eq!(written.len(), 64);
        assert_eq!(written.parse(), Ok(key));
        for bad in [
            "",
            written.get(1..).unwrap(),
            &format!("{written}0"),
            &written.replacen(|_| true, "G", 1),
            &"é".repeat(32),
        ] {
            assert_eq!(bad.parse::<TaskKey>(), Err(TaskKeyError), "{bad}");
        }
    }
}
