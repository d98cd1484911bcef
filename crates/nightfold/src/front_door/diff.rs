//! Plain-text view of a plan's changes.

use std::{collections::BTreeMap, fmt};

use nightfold_consolidate::review::{EarlierEntries, Extent, LineForm, NightView};
use nightfold_memory::{NpcId, NpcNight, clean};

/// Changes of a plan as plain text, one line per change, without colour or wrapping. The third line of a night says
/// what the signs mean.
///
/// Control characters that could affect a terminal are made visible.
#[derive(Debug, Clone, Copy)]
pub struct PlanDiff<'a> {
    pub(super) nights: &'a [NpcNight],
    pub(super) before: &'a BTreeMap<NpcId, EarlierEntries>,
}

impl fmt::Display for PlanDiff<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nothing = EarlierEntries::new();
        for (number, night) in self.nights.iter().enumerate() {
            if number > 0 {
                writeln!(f)?;
            }
            let before = self.before.get(&night.npc).unwrap_or(&nothing);
            for line in NightView::of(night, before).lines(Extent::All).lines {
                if matches!(line.form, LineForm::Fold | LineForm::Unfold) {
                    continue;
                }
                let sign = if line.sign.is_empty() { String::new() } else { format!("{} ", line.sign) };
                writeln!(f, "{:1$}{sign}{2}", "", line.form.indent(), clean(&line.text()))?;
            }
        }
        Ok(())
    }
}
