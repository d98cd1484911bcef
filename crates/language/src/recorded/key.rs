//! Keys of recorded answers.

use nightfold_memory::{Request, TaskKind};
use sha2::{Digest, Sha256};

use crate::prompt::{canonical, version_for};

const DOMAIN: &str = "nightfold language task 1";

/// Returns the key of a model's answer to a request: the SHA-256 of everything that the answer depends on, in 64
/// hexadecimal digits. Two tasks share a key exactly if they have the same kind with the same numbers, the same NPC's
/// name, the same ids with the same texts of the same speakers in the same order, the same past, the same faults, the same model, and the same prompts.
pub(super) fn task_key(model: &str, request: &Request<'_>) -> String {
    key_with_prompts(version_for(request.task.kind), model, request)
}

fn key_with_prompts(prompts: &str, model: &str, request: &Request<'_>) -> String {
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
        TaskKind::Support => hash.text("support"),
    }
    hash.text(&request.task.me);
    hash.number(request.task.sources.len());
    for source in &request.task.sources {
        hash.text(source.id.as_str());
        hash.text(&source.text);
        hash.number(usize::from(source.verbatim));
        hash.text(source.said_by.as_deref().unwrap_or_default());
    }
    hash.number(request.task.past.len());
    for past in &request.task.past {
        hash.text(past.id.as_str());
        hash.text(&past.text);
        hash.number(past.standing as usize);
        hash.text(past.said_by.as_deref().unwrap_or_default());
    }
    let faults = canonical(request.faults);
    hash.number(faults.len());
    for fault in faults {
        hash.text(fault.as_str());
    }
    hash.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
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

#[cfg(test)]
mod tests {
    use nightfold_memory::{Fault, LanguageTask, MemoryId, PastStanding, PastText, SourceText};

    use super::*;

    fn task(kind: TaskKind, sources: &[(&str, &str)]) -> LanguageTask {
        let sources = sources
            .iter()
            .map(|(id, text)| SourceText {
                id: MemoryId::new(id).unwrap(),
                text: (*text).to_owned(),
                verbatim: false,
                said_by: None,
            })
            .collect();
        LanguageTask { id: 3, kind, me: "Mara".into(), sources, past: Vec::new(), tokens: 100, value: 0.5 }
    }

    #[test]
    fn equal_tasks_share_a_key_and_different_ones_do_not() {
        let pair = [("a", "I swept."), ("b", "Joss paid.")];
        let of = |model: &str, kind, sources: &[(&str, &str)], faults: &[Fault]| {
            task_key(model, &Request { task: &task(kind, sources), faults, tokens: 1 })
        };
        let two = TaskKind::Reflections { slots: 2 };
        let key = of("m", two, &pair, &[]);
        let mut other = task(two, &pair);
        (other.id, other.tokens, other.value) = (9, 7, 0.1);
        assert_eq!(task_key("m", &Request { task: &other, faults: &[], tokens: 9_999 }), key);
        let [mut renamed, mut kept, mut said] = [(); 3].map(|()| task(two, &pair));
        renamed.me = "Tom".into();
        kept.sources[1].verbatim = true;
        said.sources[1].said_by = Some("Joss".to_owned());
        let past = |standing| {
            let past = vec![PastText {
                id: MemoryId::new("c").unwrap(),
                text: "Joss came.".into(),
                standing,
                said_by: None,
            }];
            LanguageTask { past, ..task(two, &pair) }
        };
        let [renamed, kept, said, known, open] =
            [renamed, kept, said, past(PastStanding::Known), past(PastStanding::Open)]
                .map(|task| task_key("m", &Request { task: &task, faults: &[], tokens: 1 }));

        let both = [Fault::Empty, Fault::TooLong];
        let keys = [
            key_with_prompts("others", "m", &Request { task: &task(two, &pair), faults: &[], tokens: 1 }),
            key,
            renamed,
            kept,
            said,
            known,
            open,
            of("n", two, &pair, &[]),
            of("m", TaskKind::Reflections { slots: 1 }, &pair, &[]),
            of("m", TaskKind::Connection { first: 2 }, &pair, &[]),
            of("m", TaskKind::Connection { first: 1 }, &pair, &[]),
            of("m", TaskKind::Synthesis, &pair, &[]),
            of("m", TaskKind::Stance, &pair, &[]),
            of("m", TaskKind::Support, &pair, &[]),
            of("m", TaskKind::Stance, &[pair[1], pair[0]], &[]),
            of("m", two, &pair[..1], &[]),
            of("m", two, &[pair[1], pair[0]], &[]),
            of("m", two, &[("aI", " swept."), pair[1]], &[]),
            of("m", two, &[("a", "I swept. "), pair[1]], &[]),
            of("m", two, &pair, &[Fault::Empty]),
            of("m", two, &pair, &both),
        ];
        let distinct: std::collections::BTreeSet<&String> = keys.iter().collect();
        assert_eq!(distinct.len(), keys.len());
        let again = [Fault::TooLong, Fault::Empty, Fault::TooLong];
        assert_eq!(of("m", two, &pair, &again), of("m", two, &pair, &both), "the prompt is the same");
    }
}
