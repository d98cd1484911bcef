//! The words that are the same every time: the files in `prompts/`.

use std::sync::LazyLock;

use nightfold_memory::{Fault, TaskKind};
use sha2::{Digest, Sha256};

use super::fence::alias;

const SYSTEM: &str = include_str!("../../prompts/system.md");
const SYNTHESIS: &str = include_str!("../../prompts/synthesis.md");
const REFLECTIONS: &str = include_str!("../../prompts/reflections.md");
const CONNECTION: &str = include_str!("../../prompts/connection.md");
const STANCE_SYSTEM: &str = include_str!("../../prompts/stance-system.md");
const STANCE: &str = include_str!("../../prompts/stance.md");
const AGAIN: &str = include_str!("../../prompts/again.md");

/// Where the memories stand in a task's words.
const MEMORIES: &str = "{{memories}}";

/// Raised when code changes what a model is told beside those files: the fence, the cleaning, the schemas.
const LAYOUT: u32 = 2;

/// The first message of every question of a kind. To judge is no looking back, and its message is short: it is the price of
/// every pair.
pub(super) fn system(kind: TaskKind) -> &'static str {
    let system = if kind == TaskKind::Stance { STANCE_SYSTEM } else { SYSTEM };
    system.trim_end()
}

/// A task's words around its memories.
#[derive(Debug, Clone, Copy)]
pub(super) struct TaskText {
    pub(super) before: &'static str,
    /// With places for numbers and aliases.
    pub(super) after: &'static str,
}

impl TaskText {
    pub(super) fn of(kind: TaskKind) -> Self {
        let text = match kind {
            TaskKind::Synthesis => SYNTHESIS,
            TaskKind::Reflections { .. } => REFLECTIONS,
            TaskKind::Connection { .. } => CONNECTION,
            TaskKind::Stance => STANCE,
        };
        let (before, after) = text.split_once(MEMORIES).expect("the tests see that every task has them");
        Self { before, after: after.trim_end() }
    }

    /// What stands after the memories, for a task of `n` of them.
    pub(super) fn now(self, kind: TaskKind, n: usize) -> String {
        match kind {
            TaskKind::Synthesis | TaskKind::Stance => self.after.to_owned(),
            TaskKind::Reflections { slots } => self.after.replace("{{slots}}", &slots.to_string()),
            TaskKind::Connection { first } => {
                self.after.replace("{{one}}", &aliases(0, first)).replace("{{other}}", &aliases(first, n))
            }
        }
    }
}

/// Bytes of what is put in the places of a task's words.
pub(super) fn filled_in(kind: TaskKind, n: usize) -> usize {
    match kind {
        TaskKind::Synthesis | TaskKind::Stance => 0,
        TaskKind::Reflections { slots } => slots.to_string().len(),
        TaskKind::Connection { first } => aliases(0, first).len() + aliases(first, n).len(),
    }
}

/// The aliases of memories `from` to before `to`, in words.
fn aliases(from: usize, to: usize) -> String {
    if to - from == 1 { alias(from) } else { format!("{} to {}", alias(from), alias(to - 1)) }
}

/// What a model is told about a fault of its last answer.
pub(super) fn again(fault: Fault) -> &'static str {
    let kind = fault.as_str();
    let said = AGAIN.lines().find_map(|line| line.strip_prefix(kind)?.strip_prefix(": "));
    said.expect("the tests see that every fault has a sentence")
}

/// What models are told that find words, as a hash over every word of it: answers to other words are other answers.
pub fn prompt_version() -> &'static str {
    static VERSION: LazyLock<String> =
        LazyLock::new(|| hashed(&[SYSTEM, SYNTHESIS, REFLECTIONS, CONNECTION, AGAIN]));
    &VERSION
}

/// What models are told for a task of this kind, as such a hash. Those that judge are told other words: a change of these
/// leaves what was recorded of the others as it is.
pub(crate) fn version_for(kind: TaskKind) -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| hashed(&[STANCE_SYSTEM, STANCE, AGAIN]));
    if kind == TaskKind::Stance { &VERSION } else { prompt_version() }
}

fn hashed(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    hash.update(LAYOUT.to_le_bytes());
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every kind there is; the match fails to compile when one is added.
    pub(crate) const FAULTS: [Fault; 11] = [
        Fault::Malformed,
        Fault::Empty,
        Fault::TooLong,
        Fault::NotFirstPerson,
        Fault::TooFewCited,
        Fault::Ungrounded,
        Fault::Negation,
        Fault::LosesFact,
        Fault::EmptyTalk,
        Fault::NearCopy,
        Fault::OneTheme,
    ];

    #[test]
    fn every_fault_has_a_sentence() {
        for fault in FAULTS {
            match fault {
                Fault::Malformed
                | Fault::Empty
                | Fault::TooLong
                | Fault::NotFirstPerson
                | Fault::TooFewCited
                | Fault::Ungrounded
                | Fault::Negation
                | Fault::LosesFact
                | Fault::EmptyTalk
                | Fault::NearCopy
                | Fault::OneTheme => {}
            }
            let said = again(fault);
            assert!(said.starts_with("Your last answer ") && said.ends_with('.'), "{fault}: {said}");
        }
        assert_eq!(AGAIN.lines().count(), FAULTS.len(), "a sentence for no fault");
    }

    #[test]
    fn every_task_has_its_places_once() {
        for (kind, places) in [
            (TaskKind::Synthesis, &[][..]),
            (TaskKind::Reflections { slots: 12 }, &["{{slots}}"]),
            (TaskKind::Connection { first: 1 }, &["{{one}}", "{{other}}"]),
            (TaskKind::Stance, &[]),
        ] {
            let text = TaskText::of(kind);
            assert!(!text.before.contains("{{") && !text.after.contains(MEMORIES), "{kind:?}");
            assert!(text.before.ends_with('\n') && text.after.starts_with('\n'), "{kind:?}");
            assert!(places.iter().all(|place| text.after.matches(place).count() == 1), "{kind:?}");
            let now = text.now(kind, 3);
            assert!(!now.contains("{{"), "{now}");
            let words: usize = places.iter().map(|place| place.len()).sum();
            assert_eq!(now.len(), text.after.len() - words + filled_in(kind, 3), "{now}");
        }
        assert_eq!(aliases(0, 1), "m1");
        assert_eq!(aliases(2, 9), "m3 to m9");
    }
}
