//! Distilled records in the words of a language model, within the token ledgers of a night and of the run.

use nightfold_consolidate::{CheckedAnswer, LanguageAnswers, distillation::DistilledRecord};
use nightfold_memory::{Answer, Fault, LanguageModel, LanguagePack, LanguageTask, NpcId, ValidConfig};

use super::draft::NpcDraft;
use crate::{
    NoObserver,
    language_scheduler::{LanguageScheduler, TaskSet},
    ledger::RunLedger,
};

/// The language model of one maintenance, with what it may still spend.
pub(super) struct Wording<'m> {
    scheduler: LanguageScheduler<'m>,
    ledger: RunLedger,
}

impl<'m> Wording<'m> {
    pub(super) fn new(model: &'m dyn LanguageModel, config: &ValidConfig) -> Self {
        Self { scheduler: LanguageScheduler::new(model, &NoObserver), ledger: RunLedger::new(config) }
    }

    /// Has the model word the records of some drafts. Returns for each draft the message of a panic, if there was one.
    pub(super) fn word(&mut self, drafts: &mut [NpcDraft<'_>]) -> Vec<Option<String>> {
        let sets: Vec<DistillationTasks<'_>> = drafts.iter().map(DistillationTasks::of).collect();
        let asked: Vec<(&NpcId, &dyn TaskSet, &dyn LanguagePack)> = sets
            .iter()
            .zip(drafts.iter())
            .map(|(set, draft)| (draft.base.npc, set as &dyn TaskSet, draft.base.pack))
            .collect();
        let said = self.scheduler.ask_all(&asked, &mut self.ledger);
        let take = |(draft, said): (&mut NpcDraft<'_>, Result<LanguageAnswers, String>)| match said {
            Ok(said) => {
                draft.take_wording(said);
                None
            }
            Err(message) => Some(message),
        };
        drafts.iter_mut().zip(said).map(take).collect()
    }
}

/// Tasks of wording the records of one NPC.
struct DistillationTasks<'a> {
    npc: &'a NpcId,
    records: &'a [DistilledRecord],
    tasks: Vec<LanguageTask>,
    config: &'a ValidConfig,
}

impl<'a> DistillationTasks<'a> {
    fn of(draft: &'a NpcDraft<'_>) -> Self {
        let npc = draft.base.npc;
        let records = draft.records.as_slice();
        let mut tasks: Vec<LanguageTask> =
            records.iter().enumerate().map(|(id, record)| record.task(npc, id)).collect();
        tasks.sort_by(|a, b| b.value.total_cmp(&a.value).then(a.id.cmp(&b.id)));
        Self { npc, records, tasks, config: &draft.base.config }
    }
}

impl TaskSet for DistillationTasks<'_> {
    fn tasks(&self) -> &[LanguageTask] {
        &self.tasks
    }

    fn ledger(&self) -> usize {
        if self.tasks.is_empty() { 0 } else { self.config.budget.tokens }
    }

    fn check(&self, task: usize, answers: &[Answer], pack: &dyn LanguagePack) -> Vec<CheckedAnswer> {
        let Some(record) = self.records.get(task) else {
            return vec![Err(Fault::Malformed); answers.len()];
        };
        answers.iter().map(|answer| record.clone().reword(self.npc, answer, self.config, pack)).collect()
    }
}
