//! `nightfold collapse`: which status lines repeat with new numbers; writes nothing.

use std::collections::BTreeMap;

use nightfold::{
    consolidate::status::{Significance, StatusCollapse, StatusGroup, StatusRecord, StatusReport},
    memory::{Memory, NpcId},
};
use serde::Serialize;

use crate::{
    args::{Collapse, Common},
    config,
    error::CliError,
    input::{VectorRule, memories},
    models::models,
    output,
    show::{count, hang},
    terminal::{Role, Terminal, clean},
};

#[derive(Debug, Serialize)]
struct Printed {
    #[serde(flatten)]
    report: StatusReport,
    /// Every group of two and more: the canonical entry first.
    groups: Vec<Vec<String>>,
}

pub(crate) fn run(args: &Collapse, common: &Common) -> Result<(), CliError> {
    let mut common = common.clone();
    common.set.extend(args.fuzzy.then(|| "collapse.fuzzy=true".to_owned()));
    common.set.extend(args.template.then(|| "collapse.template=true".to_owned()));
    let config = config::load(&common)?;
    let models = models(&common);
    let vectors = VectorRule {
        given: args.vector_model.as_deref(),
        model: models.model_id(),
        dimensions: nightfold_embed::DIMENSIONS,
    };
    let mut of_npcs: BTreeMap<NpcId, Vec<Memory>> = BTreeMap::new();
    for memory in memories(&args.inputs, &config.input, args.on_bad_line, &vectors)? {
        of_npcs.entry(memory.npc.clone()).or_default().push(memory);
    }
    // What one NPC noted says nothing about another's notes.
    let mut report = StatusReport::default();
    let mut groups: Vec<StatusGroup> = Vec::new();
    for memories in of_npcs.values() {
        let settings = &config.collapse;
        let mut collapse =
            if args.all_status { StatusCollapse::of_status(settings) } else { StatusCollapse::new(settings) };
        for memory in memories.iter().filter(|m| !m.is_blank()) {
            collapse.push(StatusRecord {
                id: memory.id.as_str(),
                text: &memory.text,
                significance: Significance::of(memory.importance().get(), memory.pinned),
                reinforcement: 1,
                created_at: memory.at,
            });
        }
        let found = collapse.finish();
        report.add(found.report, config.collapse.max_samples);
        groups.extend(found.groups);
    }
    if args.json {
        let ids = |g: StatusGroup| std::iter::once(g.canonical).chain(g.duplicates).collect();
        return output::json(&Printed { report, groups: groups.into_iter().map(ids).collect() });
    }
    output::text(&render(&report, of_npcs.len()))
}

fn render(report: &StatusReport, npcs: usize) -> String {
    let terminal = Terminal::stdout();
    let mut out = format!(
        "{} of {}: {} operational, {} in {}\n",
        count(report.scanned_profiles, "memory", "memories"),
        count(npcs, "NPC", "NPCs"),
        report.operational_profiles,
        count(report.duplicates_found, "duplicate", "duplicates"),
        count(report.duplicate_groups, "group", "groups"),
    );
    out.push_str(&format!(
        "groups by phase: {} exact, {} token, {} template, {} fuzzy\n",
        report.exact_duplicate_groups,
        report.token_duplicate_groups,
        report.template_duplicate_groups,
        report.fuzzy_duplicate_groups
    ));
    for group in &report.samples {
        let title = format!(
            "{} stands for {}",
            group.canonical,
            count(1 + group.duplicates.len(), "memory", "memories")
        );
        out.push_str(&terminal.paint(Role::Title, &format!("  {}\n", clean(&title))));
        out.push_str(&hang("      ", 6, &group.signature, terminal.width));
        out.push_str(
            &terminal.paint(Role::Faint, &hang("      ", 6, &group.duplicates.join(", "), terminal.width)),
        );
    }
    out.push_str("dry run: nothing was written\n");
    out
}
