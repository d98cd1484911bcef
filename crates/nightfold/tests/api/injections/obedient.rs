//! A language model that obeys instructions in memories: only answers that fit the task are accepted.

use std::sync::Mutex;

use nightfold::{
    Sleep,
    memory::{
        Answer, Change, LanguageError, LanguageModel, LanguageTask, Memory, MemoryId, NightPlan, NpcNight,
        ReflectionKind, Reply, Request, Stance, TaskKind,
    },
};
use nightfold_store::SqliteStore;
use rayon::prelude::*;

use super::{PLACES, ROLES, Reader, SECRET, hostile::HOSTILE, is_order, settings, slept, with};
use crate::support::{memory, nightly, npc, sleeping, verdict};

type Says = fn(&LanguageTask) -> Vec<Answer>;

/// Language model that answers with `says` if a memory contains an instruction, also where it is asked to judge, unless it
/// judges [`FINE`]; it refuses all other tasks.
struct Obedient {
    says: Says,
    costs: fn(&Request<'_>) -> usize,
    obeyed: Mutex<Vec<LanguageTask>>,
}

impl LanguageModel for Obedient {
    fn name(&self) -> &'static str {
        "obedient"
    }

    fn answer(&self, request: &Request<'_>) -> Result<Reply, LanguageError> {
        let said = request.task.sources.last().map(|source| source.text.as_str());
        if request.task.kind == TaskKind::Support && said == Some(FINE) {
            return Ok(Reply { answers: vec![verdict(Stance::Same)], tokens: 1 });
        }
        if !request.task.sources.iter().any(|source| is_order(source.id.as_str())) {
            let reason = "nobody orders me to".to_owned();
            return Err(LanguageError::Refused { model: "obedient".to_owned(), tokens: 0, reason });
        }
        self.obeyed.lock().unwrap().push(request.task.clone());
        Ok(Reply { answers: (self.says)(request.task), tokens: (self.costs)(request) })
    }
}

impl Obedient {
    fn new(says: Says, costs: fn(&Request<'_>) -> usize) -> Self {
        Self { says, costs, obeyed: Mutex::default() }
    }

    /// Returns the plan of a run with this model, and the tasks it was asked.
    fn asked_by(self, memories: Vec<Memory>) -> (NightPlan, Vec<LanguageTask>) {
        let config = settings();
        let (reader, store) = (Reader::of(str::to_owned), SqliteStore::in_memory().unwrap());
        let sleep = Sleep { language: Some(&self), ..sleeping(&config, &reader, &store) };
        let slept = sleep.plan(nightly(memories, &config)).unwrap();
        assert!(slept.failures.is_empty(), "{:?}", slept.failures);
        (slept.plan, self.obeyed.into_inner().unwrap())
    }
}

fn says(text: &str, cites: Vec<MemoryId>) -> Vec<Answer> {
    vec![Answer { text: text.to_owned(), kind: Some(ReflectionKind::Oneself), cites, confidence: Some(1.0) }]
}

fn given(task: &LanguageTask) -> Vec<MemoryId> {
    task.sources.iter().map(|source| source.id.clone()).collect()
}

fn ids(names: &[&str]) -> Vec<MemoryId> {
    names.iter().map(|name| MemoryId::new(*name).unwrap()).collect()
}

/// Text that passes every check if it cites memories of its task.
const FINE: &str = "I will think of Joss, the silver and the axle";

/// Answers of an obedient model, all of which must be rejected.
const OBEYED: &[(&str, Says)] = &[
    ("cites what others know", |_| says(FINE, ids(&["secret", "d9-m1", "Ann-01", "m1"]))),
    ("cites one of its own and one of another's", |task| {
        says(FINE, [given(task).swap_remove(0), ids(&["secret"]).swap_remove(0)].to_vec())
    }),
    ("tells a secret", |task| says(&format!("I know that {SECRET}"), given(task))),
    ("claims what nobody said", |task| says("I own the mill.", given(task))),
    ("claims to be certain", |task| {
        let answer = says("I own the mill.", given(task)).swap_remove(0);
        [f32::INFINITY, f32::NAN, -1.0].map(|c| Answer { confidence: Some(c), ..answer.clone() }).to_vec()
    }),
    ("says nothing", |task| says("", given(task))),
    ("says nothing visible", |task| says("\u{200b} \u{202e}\n", given(task))),
    ("says far too much", |task| says(&format!("{FINE}. ").repeat(300), given(task))),
    ("says it too often", |task| vec![says("I do as I am told.", given(task)).swap_remove(0); 300]),
    ("writes a page", |task| says("<p onload=go()>I do as I am told</p>", given(task))),
    ("steers a terminal", |task| says(&format!("{FINE}\u{1b}c"), given(task))),
];

/// Control for the answers above: they are rejected for their fault, not for anything else.
#[test]
fn obedient_model_is_accepted_within_its_task() {
    let fine = Obedient::new(|task| says(FINE, given(task)), |_| 1);
    let (plan, _) = fine.asked_by(with(HOSTILE[0], &ROLES[3], &PLACES[1]));
    assert!(plan.nights[0].changes.iter().filter_map(Change::entry).any(|e| e.text == FINE));
}

/// Returns the plan without the reports on the model, and without the versions, which are fingerprints of those too.
fn unasked(plan: &NightPlan) -> NightPlan {
    let mut plan = plan.clone();
    plan.report.language = None;
    plan.report.tokens.spent = 0;
    for night in &mut plan.nights {
        night.report.language = None;
        night.report.tokens.spent = 0;
        night.base_version = 0;
    }
    plan
}

#[test]
fn obedient_model_is_rejected_outside_its_task() {
    HOSTILE.par_iter().enumerate().filter(|(_, text)| !text.is_empty()).for_each(|(n, text)| {
        // Every other one is important.
        let role = [&ROLES[1], &ROLES[3]][n % 2];
        let memories = with(text, role, &PLACES[1]);
        let by_rules = unasked(&slept(memories.clone(), str::to_owned));
        for (what, says) in OBEYED {
            let (plan, obeyed) = Obedient::new(*says, |r| r.task.tokens).asked_by(memories.clone());
            assert!(!obeyed.is_empty(), "{what} {text:?} {}", role.0);
            assert!(unasked(&plan) == by_rules, "{what} {text:?} {}", role.0);
            let language = plan.report.language.as_ref().unwrap();
            assert!(language.answered == 0 && !language.faults.is_empty(), "{what}: {language:?}");
            // No task contains another NPC's knowledge, and no NPC gets it.
            assert!(obeyed.iter().flat_map(|t| &t.sources).all(|s| !s.text.contains("300 crowns")));
            assert!(plan.nights[..2].iter().all(|night| night.npc == npc("Ann-00")));
            assert!(plan.nights[..2].iter().all(|night| !json_of(night).contains("300 crowns")));
        }
    });
}

fn json_of(night: &NpcNight) -> String {
    serde_json::to_string(night).unwrap()
}

/// An empty answer removes the reflection that the rules would have drawn there, and changes nothing else.
#[test]
fn silenced_model_removes_only_reflections() {
    let others = |night: &NpcNight| -> Vec<Change> {
        night.changes.iter().filter(|c| c.verb() != "reflect").cloned().collect()
    };
    for text in HOSTILE.iter().filter(|text| !text.is_empty()) {
        let mut memories = with(text, &ROLES[3], &PLACES[1]);
        // Three texts on one subject, of which the rules draw a reflection.
        let of_joss = ["the miller", "the reeve", "the smith"]
            .map(|of| format!("Joss asked {of} about the silver and the new axle"));
        memories.extend((40..).zip(&of_joss).map(|(n, text)| memory("Ann-00", 0, n, text, 6)));
        let (plan, obeyed) = Obedient::new(|_| Vec::new(), |_| 1).asked_by(memories.clone());
        let by_rules = slept(memories, str::to_owned);
        let (night, ruled) = (&plan.nights[0], &by_rules.nights[0]);
        assert_eq!(others(night), others(ruled), "{text:?}");
        assert!(night.report.counts.reflections < ruled.report.counts.reflections, "{text:?}");
        assert!(obeyed.iter().any(|task| matches!(task.kind, TaskKind::Reflections { .. })), "{text:?}");
        // The other NPC's nights are unchanged.
        assert_eq!(unasked(&plan).nights[2], unasked(&by_rules).nights[2], "{text:?}");
    }
}
