//! Constant texts: the files in `prompts/`.

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
const SUPPORT: &str = include_str!("../../prompts/support.md");
const AGAIN: &str = include_str!("../../prompts/again.md");

/// Placeholder of the memories in a task's text.
const MEMORIES: &str = "{{memories}}";

/// Version of all other parts of a prompt: the fence, the cleaning, the schemas. Raised when the code of
/// these parts changes.
const LAYOUT: u32 = 4;

/// Returns the first message of every question of a kind. Judging has its own short message, since every pair
/// pays for it.
pub(super) fn system(kind: TaskKind) -> &'static str {
    let system = if judges(kind) { STANCE_SYSTEM } else { SYSTEM };
    system.trim_end()
}

/// True if the task compares texts and writes none.
fn judges(kind: TaskKind) -> bool {
    matches!(kind, TaskKind::Stance | TaskKind::Support)
}

/// Text of a task around its memories.
#[derive(Debug, Clone, Copy)]
pub(super) struct TaskText {
    pub(super) before: &'static str,
    /// Text after the memories, with placeholders for numbers and aliases.
    pub(super) after: &'static str,
}

impl TaskText {
    pub(super) fn of(kind: TaskKind) -> Self {
        let text = match kind {
            TaskKind::Synthesis => SYNTHESIS,
            TaskKind::Reflections { .. } => REFLECTIONS,
            TaskKind::Connection { .. } => CONNECTION,
            TaskKind::Stance => STANCE,
            TaskKind::Support => SUPPORT,
        };
        let (before, after) = text.split_once(MEMORIES).expect("the tests see that every task has them");
        Self { before, after: after.trim_end() }
    }

    /// Returns the text after the memories, for a task with `n` of them.
    pub(super) fn instruction(self, kind: TaskKind, n: usize) -> String {
        match kind {
            TaskKind::Synthesis | TaskKind::Stance => self.after.to_owned(),
            TaskKind::Reflections { slots } => self.after.replace("{{slots}}", &slots.to_string()),
            TaskKind::Connection { first } => {
                self.after.replace("{{one}}", &aliases(0, first)).replace("{{other}}", &aliases(first, n))
            }
            TaskKind::Support => {
                let (notes, last) = (aliases(0, n - 1), alias(n - 1));
                self.after.replace("{{notes}}", &notes).replace("{{last}}", &last)
            }
        }
    }
}

/// Size of the values that replace the placeholders, in bytes.
pub(super) fn placeholder_bytes(kind: TaskKind, n: usize) -> usize {
    match kind {
        TaskKind::Synthesis | TaskKind::Stance => 0,
        TaskKind::Reflections { slots } => slots.to_string().len(),
        TaskKind::Connection { first } => aliases(0, first).len() + aliases(first, n).len(),
        TaskKind::Support => aliases(0, n - 1).len() + alias(n - 1).len(),
    }
}

/// Names the aliases of the memories `from` to before `to`.
fn aliases(from: usize, to: usize) -> String {
    if to - from == 1 { alias(from) } else { format!("{} to {}", alias(from), alias(to - 1)) }
}

/// Returns the sentence about a fault of the last answer.
pub(super) fn fault_sentence(fault: Fault) -> &'static str {
    let kind = fault.as_str();
    let said = AGAIN.lines().find_map(|line| line.strip_prefix(kind)?.strip_prefix(": "));
    said.expect("the tests see that every fault has a sentence")
}

/// Version of the prompts of a task of this kind: a hash over their whole text, since answers to other texts are
/// other answers. Judging has its own hash, so that changing its prompts does not invalidate recorded answers to
/// writing tasks.
pub(crate) fn version_for(kind: TaskKind) -> &'static str {
    static WRITING: LazyLock<String> =
        LazyLock::new(|| hashed(&[SYSTEM, SYNTHESIS, REFLECTIONS, CONNECTION, AGAIN]));
    static JUDGING: LazyLock<String> = LazyLock::new(|| hashed(&[STANCE_SYSTEM, STANCE, SUPPORT, AGAIN]));
    if judges(kind) { &JUDGING } else { &WRITING }
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

    /// Every kind of fault; the match fails to compile when one is added.
    pub(crate) const FAULTS: [Fault; 13] = [
        Fault::Malformed,
        Fault::Empty,
        Fault::TooLong,
        Fault::NotFirstPerson,
        Fault::TooFewCited,
        Fault::Ungrounded,
        Fault::Contradicted,
        Fault::Unsupported,
        Fault::HeardOnly,
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
                | Fault::Contradicted
                | Fault::Unsupported
                | Fault::HeardOnly
                | Fault::LosesFact
                | Fault::EmptyTalk
                | Fault::NearCopy
                | Fault::OneTheme => {}
            }
            let said = fault_sentence(fault);
            assert!(said.starts_with("Your last answer ") && said.ends_with('.'), "{fault}: {said}");
        }
        assert_eq!(AGAIN.lines().count(), FAULTS.len(), "a sentence for no fault");
    }

    #[test]
    fn every_task_has_its_placeholders_once() {
        for (kind, places) in [
            (TaskKind::Synthesis, &[][..]),
            (TaskKind::Reflections { slots: 12 }, &["{{slots}}"]),
            (TaskKind::Connection { first: 1 }, &["{{one}}", "{{other}}"]),
            (TaskKind::Stance, &[]),
            (TaskKind::Support, &["{{notes}}", "{{last}}"]),
        ] {
            let text = TaskText::of(kind);
            assert!(!text.before.contains("{{") && !text.after.contains(MEMORIES), "{kind:?}");
            assert!(text.before.ends_with('\n') && text.after.starts_with('\n'), "{kind:?}");
            assert!(places.iter().all(|place| text.after.matches(place).count() == 1), "{kind:?}");
            let now = text.instruction(kind, 3);
            assert!(!now.contains("{{"), "{now}");
            let words: usize = places.iter().map(|place| place.len()).sum();
            assert_eq!(now.len(), text.after.len() - words + placeholder_bytes(kind, 3), "{now}");
        }
        assert_eq!(aliases(0, 1), "m1");
        assert_eq!(aliases(2, 9), "m3 to m9");
    }
}
