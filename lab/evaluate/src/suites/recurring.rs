//! Recognition of recurring themes, and of new themes as new.

use std::collections::BTreeMap;

use nightfold_consolidate::{
    ClusterError, DayRows, Points, cluster, cohesion,
    themes::{Mean, match_themes},
};
use nightfold_memory::ValidConfig;
use serde::Serialize;

use crate::LabelledRows;

/// Rows of one day that belong together, with the theme of most of them.
#[derive(Debug, Clone, PartialEq)]
pub struct ThemeGroup {
    /// Numbers of the rows.
    pub rows: Vec<usize>,
    /// Most frequent theme of the rows; of equally frequent ones the first by name.
    pub theme: String,
}

/// Days of one NPC in order, each with its groups.
pub type Life<'a> = Vec<(&'a LabelledRows, Vec<ThemeGroup>)>;

/// Counts of recognised groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecurringScore {
    /// Groups whose theme came on an earlier day.
    pub again: usize,
    /// Recurring groups assigned to that theme.
    pub found: usize,
    /// Recurring groups assigned to another theme.
    pub wrong: usize,
    /// Groups of new themes.
    pub new: usize,
    /// New groups assigned to an earlier theme.
    pub mistaken: usize,
}

/// Returns the groups given by people: themes with two rows and more, without those in `excluded`.
pub fn given_groups(day: &LabelledRows, excluded: &[&str]) -> Vec<ThemeGroup> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (row, theme) in day.themes.iter().enumerate().filter(|(_, t)| !excluded.contains(&t.as_str())) {
        groups.entry(theme).or_default().push(row);
    }
    let several = groups.into_iter().filter(|(_, rows)| rows.len() > 1);
    several.map(|(theme, rows)| ThemeGroup { rows, theme: theme.to_owned() }).collect()
}

/// Returns the groups that a night would find in a day and follow.
///
/// # Errors
/// [`ClusterError`] if clustering fails.
pub fn found_groups(day: &LabelledRows, config: &ValidConfig) -> Result<Vec<ThemeGroup>, ClusterError> {
    let found = cluster(Points::new(&day.vectors).with_times(&day.times)?, None, config)?;
    let (vectors, times) = (&day.vectors, &day.times);
    let rows = DayRows { vectors, times, importances: &day.importances, intensities: &day.intensities };
    let parts = cohesion(rows, &found);
    let followed = found.clusters.iter().zip(parts).filter(|(members, parts)| {
        let sum: u32 = members.iter().map(|&i| u32::from(day.importances[i].get())).sum();
        members.len() > 1
            && parts.weighted_mean(&config.cohesion) >= config.themes.cohesion
            && f64::from(sum) / members.len() as f64 >= config.themes.importance
    });
    Ok(followed
        .map(|(members, _)| ThemeGroup { rows: members.clone(), theme: most_common(day, members) })
        .collect())
}

fn most_common(day: &LabelledRows, rows: &[usize]) -> String {
    commonest(&rows.iter().fold(BTreeMap::new(), |mut counts, &i| {
        *counts.entry(day.themes[i].clone()).or_default() += 1;
        counts
    }))
}

fn commonest(counts: &BTreeMap<String, usize>) -> String {
    // `max_by_key` returns the last maximum; in reverse order this is the first by name.
    counts.iter().rev().max_by_key(|(_, n)| **n).map(|(theme, _)| theme.clone()).unwrap_or_default()
}

/// Follows the groups of every NPC over its days, as nights do, and counts those of the days for which
/// `counted` holds (numbered from 0). `from` is the least cosine at which a group continues a theme.
pub fn recurring(lives: &[Life<'_>], from: f64, counted: impl Fn(usize) -> bool) -> RecurringScore {
    let mut score = RecurringScore::default();
    for life in lives {
        let mut known: Vec<(Mean, BTreeMap<String, usize>)> = Vec::new();
        for (place, (day, groups)) in life.iter().enumerate() {
            let means: Vec<Mean> =
                groups.iter().map(|g| Mean::of(g.rows.iter().map(|&i| day.vectors.row(i)))).collect();
            let centres = |means: &mut dyn Iterator<Item = &Mean>| -> Vec<Vec<f32>> {
                means.map(|m| m.centre().map(|c| c.as_slice().to_vec()).unwrap_or_default()).collect()
            };
            let (old, new) = (centres(&mut known.iter().map(|k| &k.0)), centres(&mut means.iter()));
            let same = match_themes(
                &old.iter().map(Vec::as_slice).collect::<Vec<_>>(),
                &new.iter().map(Vec::as_slice).collect::<Vec<_>>(),
                from,
            );
            let themes: Vec<String> = known.iter().map(|(_, counts)| commonest(counts)).collect();
            for ((group, mean), same) in groups.iter().zip(&means).zip(same) {
                if counted(place) {
                    score.count(&group.theme, &themes, same);
                }
                let k = same.unwrap_or(known.len());
                if same.is_none() {
                    known.push(Default::default());
                }
                let (earlier, theme) = &mut known[k];
                *earlier = std::mem::take(earlier).with(mean);
                for &row in &group.rows {
                    *theme.entry(day.themes[row].clone()).or_default() += 1;
                }
            }
        }
    }
    score
}

impl RecurringScore {
    /// Counts a group of `theme`; `known` are the earlier themes, `same` the one it was assigned to.
    fn count(&mut self, theme: &String, known: &[String], same: Option<usize>) {
        if known.contains(theme) {
            self.again += 1;
            match same {
                Some(k) if known[k] == *theme => self.found += 1,
                Some(_) => self.wrong += 1,
                None => {}
            }
        } else {
            self.new += 1;
            self.mistaken += usize::from(same.is_some());
        }
    }
}

#[cfg(test)]
mod tests {
    use nightfold_memory::Vectors;

    use super::*;

    fn day(rows: &[(&str, f32)]) -> LabelledRows {
        let mut day = LabelledRows { vectors: Vectors::with_capacity(2, 0), ..LabelledRows::default() };
        for (theme, degrees) in rows {
            let angle = degrees.to_radians();
            day.vectors.push(&[angle.cos(), angle.sin()]).unwrap();
            day.themes.push((*theme).to_owned());
        }
        day
    }

    #[test]
    fn recurring_groups_are_distinguished_from_new_ones() {
        let days = [
            day(&[("feud", 0.0), ("feud", 4.0), ("idle", 90.0), ("idle", 91.0)]),
            day(&[("feud", 6.0), ("feud", 8.0), ("fever", 60.0), ("fever", 61.0)]),
            day(&[("fever", 10.0), ("fever", 12.0), ("fair", 64.0), ("fair", 66.0), ("lone", 170.0)]),
        ];
        let life: Life<'_> = days.iter().map(|day| (day, given_groups(day, &["idle"]))).collect();
        let lives = [life];
        let second = recurring(&lives, 0.9, |place| place == 1);
        assert_eq!(second, RecurringScore { again: 1, found: 1, wrong: 0, new: 1, mistaken: 0 });
        let third = recurring(&lives, 0.9, |place| place == 2);
        assert_eq!(third, RecurringScore { again: 1, found: 0, wrong: 1, new: 1, mistaken: 1 });
        let never = recurring(&lives, 1.1, |_| true);
        assert_eq!(never, RecurringScore { again: 2, found: 0, wrong: 0, new: 3, mistaken: 0 });
    }
}
