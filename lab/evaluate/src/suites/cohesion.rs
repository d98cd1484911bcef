//! Agreement of cohesion with the strength of themes, as two readers rated it.

use anyhow::{Context as _, Result, ensure};
use nightfold_consolidate::{Clustering, cluster, cohesion};
use nightfold_english::English;
use nightfold_memory::{Day, LanguagePack as _, MemoryId};
use nightfold_scenario::Script;
use rand_xoshiro::{Xoshiro256Plus, rand_core::SeedableRng as _};

use super::interval;
use crate::{
    data::TextFile,
    lab::Lab,
    rank::spearman,
    report::{Report, Section, row},
    rows::LabelledRows,
    suite::Suite,
};

const RATINGS: &str = include_str!("../../data/cohesion/ratings.tsv");

pub(crate) struct Cohesion;

impl Suite for Cohesion {
    fn name(&self) -> &'static str {
        "cohesion"
    }

    fn measures(&self) -> &'static str {
        "Agreement of cohesion, of its parts and of simple baselines with the strength of themes as two readers rated it"
    }

    fn data(&self) -> &'static str {
        "the project's scenarios"
    }

    fn run(&self, lab: &Lab) -> Result<Report> {
        let groups = TextFile::embedded("ratings.tsv", RATINGS).cells(RatedGroup::of)?;
        let mut measured = Vec::new();
        for story in groups.chunk_by(|a, b| a.story == b.story) {
            let folder = lab.options.scenarios.join(&story[0].story);
            let scenario = Script::read(&folder, &lab.config.input)?.stage(&lab.config)?;
            for group in story {
                let mut days = scenario.nights.iter().flat_map(|night| night.days.values());
                let day = days.find(|day| group.is_of(day));
                let day = day.with_context(|| format!("{}: no day of {}", group.story, group.npc))?;
                measured.push(group.measures(day, lab)?);
            }
        }
        let mut draws = Xoshiro256Plus::seed_from_u64(lab.config.seed.0);
        let title = format!("{} groups, correlation with the readers' mean rating", groups.len());
        let mut section = Section::new(title, ["measure", "spearman", "95 %"]);
        let mut agreement = |name, pairs: Vec<(f64, f64)>| {
            section.row(row![name, spearman(&pairs), interval(&pairs, &mut draws, spearman)]);
        };
        for (at, (name, _)) in measured.first().into_iter().flatten().enumerate() {
            let rated = |group: &RatedGroup| group.ratings.iter().sum::<f64>() / 2.0;
            agreement(
                *name,
                measured.iter().zip(&groups).map(|(of, group)| (of[at].1, rated(group))).collect(),
            );
        }
        agreement("one reader with the other", groups.iter().map(|group| group.ratings.into()).collect());
        Ok(Report { sections: vec![section], ..Report::default() })
    }
}

/// Memories of a day, rated as a theme.
struct RatedGroup {
    story: String,
    npc: String,
    members: Vec<String>,
    /// Rating of each reader, 0 for none to 3 for a strong theme.
    ratings: [f64; 2],
}

impl RatedGroup {
    fn of(cells: &[&str]) -> Option<Self> {
        let [story, npc, members, one, other] = *cells else { return None };
        let members = members.split(' ').map(str::to_owned).collect();
        let ratings = [one.parse().ok()?, other.parse().ok()?];
        Some(Self { story: story.to_owned(), npc: npc.to_owned(), members, ratings })
    }

    fn has(&self, id: &MemoryId) -> bool {
        self.members.iter().any(|member| member == id.as_str())
    }

    fn is_of(&self, day: &Day) -> bool {
        day.npc.as_str() == self.npc && day.memories.iter().any(|memory| self.has(&memory.id))
    }

    /// Returns all measures of the group with their names. The silhouette is taken against the day's own clusters, without
    /// the group's memories.
    fn measures(&self, day: &Day, lab: &Lab) -> Result<Vec<(&'static str, f64)>> {
        let label = |id| if self.has(id) { "group" } else { "" }.to_owned();
        let labelled = day.memories.iter().map(|memory| (memory.clone(), label(&memory.id))).collect();
        let rows = LabelledRows::of_days(&[labelled], &*lab.embedder)?.remove(0);
        let is_member = |row: &usize| rows.themes[*row] == "group";
        let members: Vec<usize> = (0..rows.len()).filter(is_member).collect();
        ensure!(
            members.len() == self.members.len(),
            "{}: {:?} are not its memories",
            self.story,
            self.members
        );
        let found = rows.measured(|rows| cluster(rows.points()?, None, &lab.config))?;
        let others =
            found.clusters.into_iter().map(|rows| rows.into_iter().filter(|row| !is_member(row)).collect());
        let clusters =
            std::iter::once(members).chain(others.filter(|rows: &Vec<usize>| !rows.is_empty())).collect();
        let clustering = Clustering { clusters, loose: Vec::new(), silhouette: None };
        let parts = rows.measured(|rows| cohesion(rows, &clustering, &lab.config.cluster))?[0];

        let texts: Vec<&str> = day
            .memories
            .iter()
            .filter(|memory| self.has(&memory.id))
            .map(|memory| memory.text.as_str())
            .collect();
        let size = texts.len() as f64;
        let content: Vec<_> = texts.iter().map(|text| English.analyze(text, &[]).content).collect();
        let with = |word| content.iter().filter(|words| words.contains(word)).count();
        let shared = content.iter().flatten().map(with).max().unwrap_or(0);
        let length = texts.iter().map(|text| text.chars().count()).sum::<usize>() as f64 / size;
        let baselines =
            [("size", size), ("length of text", length), ("share with one word", shared as f64 / size)];
        let whole = ("cohesion", parts.weighted_mean(&lab.config.cohesion));
        Ok(std::iter::once(whole).chain(parts.named()).chain(baselines).collect())
    }
}
