//! Names of what belongs to a night: of its clusters and of the entries that it writes.

use nightfold_memory::{Analysis, LanguagePack, Theme};

use super::NightContext;
use crate::{
    naming::{DocumentFrequencies, Namer},
    themes::ThemeMatch,
    triage::TriagedCluster,
};

/// Names of a night.
pub(super) struct NightNames<'a> {
    frame: &'a NightContext,
    analyses: &'a [Analysis],
    frequencies: DocumentFrequencies<'a>,
    name_analysis: &'a Analysis,
    pack: &'a dyn LanguagePack,
}

impl<'a> NightNames<'a> {
    pub(super) fn new(
        frame: &'a NightContext,
        analyses: &'a [Analysis],
        name_analysis: &'a Analysis,
        pack: &'a dyn LanguagePack,
    ) -> Self {
        let frequencies = DocumentFrequencies::of(analyses).with_people(
            analyses,
            frame.distinct.iter().map(|memory| memory.actors.as_slice()),
            pack,
        );
        Self { frame, analyses, frequencies, name_analysis, pack }
    }

    /// Returns the name of some memories of the day; empty if nothing distinguishes them. `told` is the text about
    /// them that is named.
    pub(super) fn title(&self, rows: &[usize], told: Option<&str>) -> String {
        let group: Vec<_> =
            rows.iter().map(|&i| (self.frame.distinct[i].text.as_str(), &self.analyses[i])).collect();
        let namer = Namer { day: &self.frequencies, own: self.name_analysis, pack: self.pack };
        namer.name(&group, told)
    }

    /// Returns the theme of earlier nights that a cluster continues.
    pub(super) fn continued(&self, cluster: &TriagedCluster) -> Option<&'a Theme> {
        match cluster.recurring.lasting {
            ThemeMatch::Again(known) => self.frame.past.themes.get(known),
            ThemeMatch::Passing | ThemeMatch::New => None,
        }
    }

    /// Returns the name of a cluster with the memories `rows`: that of the theme which it continues while it fits, or
    /// else its own.
    pub(super) fn cluster_name(&self, cluster: &TriagedCluster, rows: &[usize]) -> String {
        let known = self.continued(cluster).map(|theme| theme.words.concat());
        known.filter(|name| self.fits(name, rows)).unwrap_or_else(|| self.title(rows, None))
    }

    /// True if half of these memories have a word of a name, and two of them all of its words.
    fn fits(&self, name: &str, rows: &[usize]) -> bool {
        let words = self.pack.analyze(name, &[]).content;
        let is_in = |row: &usize, word: &String| self.analyses[*row].content.binary_search(word).is_ok();
        let sharing = rows.iter().filter(|row| words.iter().any(|word| is_in(row, word))).count();
        let whole = rows.iter().filter(|row| words.iter().all(|word| is_in(row, word))).count();
        2 * sharing >= rows.len() && whole > 1
    }
}
