//! Agreement of found clusters with themes given by people, and of their cohesion with their purity.

use anyhow::Result;
use nightfold_consolidate::{Clustering, cluster, cohesion, themes_of_day};
use nightfold_memory::{Kind, ValidConfig, config::ClusterAlgorithm};
use rand_xoshiro::{Xoshiro256Plus, rand_core::SeedableRng as _};

use super::CorrectCount;
use crate::{
    agreement::Agreement,
    data,
    lab::Lab,
    rank::{pair_purity, spearman},
    report::{Cell, Report, Section, row},
    rows::LabelledRows,
    suite::Suite,
};

/// V-measure and adjusted Rand index of scikit-learn's `KMeans(n_init=10)` at the true number of clusters, on vectors of
/// all-MiniLM-L6-v2; `benches/peers/clusters.py` measures them again.
const SCIKIT_LEARN: [(&str, f64, f64); 3] =
    [("banking77", 0.790, 0.494), ("clinc150", 0.893, 0.666), ("tweets", 0.867, 0.525)];

/// Margin below the reference that still passes.
const MARGIN: f64 = 0.01;

/// Number of seeds over which linfa's k-means is scored: its result depends on the seed.
const SEEDS: u64 = 3;

/// Algorithms whose clusters tell how cohesion and purity go together.
const FOR_COHESION: [ClusterAlgorithm; 3] =
    [ClusterAlgorithm::Kmeans, ClusterAlgorithm::Hierarchical, ClusterAlgorithm::Hdbscan];

pub(crate) struct Clusters;

impl Suite for Clusters {
    fn name(&self) -> &'static str {
        "clusters"
    }

    fn measures(&self) -> &'static str {
        "Agreement of clusters with people's labels, by algorithm, of cohesion with purity, and of the themes of a day. Falls short if k-means is worse than \
         scikit-learn's"
    }

    fn data(&self) -> &'static str {
        "scenarios with labels; of --data clustering/banking77, clustering/clinc150, clustering/gsdmm"
    }

    fn run(&self, lab: &Lab) -> Result<Report> {
        let mut report = Report::default();
        let columns = ["data", "algorithm", "k", "texts", "themes", "clusters", "loose", "V", "ARI"];
        let mut section = Section::new("clusters", columns);
        let mut pure = Section::new("correlation of cohesion with purity", ["data", "clusters", "spearman"]);
        for set in sets(lab)? {
            for algorithm in ClusterAlgorithm::ALL {
                if lab.options.algorithms.is_empty()
                    || lab.options.algorithms.iter().any(|name| name == algorithm.as_str())
                {
                    measure(lab, &set, algorithm, &mut section, &mut report)?;
                }
            }
            if !set.single_texts {
                pure.row(tracks_purity(lab, &set)?);
            }
        }
        for (set, v, ari) in SCIKIT_LEARN {
            let none = "";
            section.row(row![set, "scikit-learn", "true", none, none, none, none, v, ari]);
        }
        let columns = [
            "days",
            "distinct",
            "themes",
            "of 10 or more, 3 to 7",
            "loose",
            "pairs of one label",
            "by chance",
        ];
        let mut themes = Section::new("themes of a day", std::iter::once("data").chain(columns));
        for (name, days) in days_with_labels(lab)? {
            themes.row(ThemeScore::of(&days, &lab.config)?.row(&name));
        }
        report.sections.extend([section, pure, themes]);
        Ok(report)
    }
}

/// Data set with its vectors.
struct MeasuredSet {
    name: String,
    days: Vec<LabelledRows>,
    /// True for single texts, which do not form a day.
    single_texts: bool,
}

/// Reads and embeds the sets. Every file is read before anything is embedded.
fn sets(lab: &Lab) -> Result<Vec<MeasuredSet>> {
    let mut texts = Vec::new();
    if let Some(dir) = &lab.options.data {
        texts.extend(data::topics(dir)?);
    }
    let mut days = Vec::new();
    for folder in lab.scenarios()?.into_iter().filter(|folder| folder.join("labels").is_dir()) {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        days.push((name, data::labelled_days(&folder)?));
    }
    let mut sets = Vec::new();
    for set in texts {
        let days = vec![LabelledRows::of_texts(&set, &*lab.embedder)?];
        sets.push(MeasuredSet { name: set.name.to_owned(), days, single_texts: true });
    }
    for (name, days) in days {
        sets.push(MeasuredSet {
            name,
            days: LabelledRows::of_days(&days, &*lab.embedder)?,
            single_texts: false,
        });
    }
    Ok(sets)
}

/// Scores an algorithm on a set: told the number of themes of each day, and finding its own.
fn measure(
    lab: &Lab,
    set: &MeasuredSet,
    algorithm: ClusterAlgorithm,
    section: &mut Section,
    report: &mut Report,
) -> Result<()> {
    let seeds = if algorithm == ClusterAlgorithm::LinfaKmeans { SEEDS } else { 1 };
    for told_k in [true, false] {
        if told_k && !algorithm.takes_k() || !told_k && algorithm.takes_k() && set.single_texts {
            continue;
        }
        let config = |more| {
            lab.with(|c| {
                c.cluster.algorithm = algorithm;
                c.seed.0 = c.seed.0.wrapping_add(more);
                if set.single_texts {
                    // These are no days: their themes are many, and none is of two texts.
                    let themes = set.days[0].distinct_themes().max(2);
                    let growth = themes as f64 / (set.days[0].len() as f64).ln();
                    (c.cluster.k_min, c.cluster.k_growth, c.cluster.min_size) = (2, growth, 5);
                }
                if told_k && !(set.single_texts && algorithm == ClusterAlgorithm::Hierarchical) {
                    // Told the number, none of the clusters is dissolved; average linkage counts by their size.
                    c.cluster.min_size = 1;
                }
            })
        };
        let configs: Vec<ValidConfig> = (0..seeds).map(config).collect::<Result<_, _>>()?;
        let score = ClusterScore::of(&set.days, told_k, &configs)?;
        let ClusterScore { v, ari, .. } = score;
        section.row(row![
            &set.name,
            algorithm.as_str(),
            if told_k { "true" } else { "own" },
            set.days.iter().map(LabelledRows::len).sum::<usize>(),
            format!("{:.1}", score.themes),
            format!("{:.1} ({}-{})", score.clusters, score.between[0], score.between[1]),
            Cell::Share(score.loose),
            v,
            ari,
        ]);
        let held_to = SCIKIT_LEARN.iter().find(|(name, ..)| *name == set.name);
        if let Some((name, their_v, their_ari)) =
            held_to.filter(|_| told_k && algorithm == ClusterAlgorithm::Kmeans)
        {
            for (what, ours, theirs) in [("V-measure", v, *their_v), ("ARI", ari, *their_ari)] {
                if ours < theirs - MARGIN {
                    let line = format!("k-means on {name}: {what} {ours:.3}, scikit-learn {theirs:.3}");
                    report.shortfalls.push(line);
                }
            }
        }
    }
    Ok(())
}

/// Result of one algorithm on one data set; means over its days and seeds.
#[derive(Default)]
struct ClusterScore {
    themes: f64,
    clusters: f64,
    /// Fewest and most clusters of a day.
    between: [usize; 2],
    /// Share of texts in no cluster.
    loose: f64,
    /// V-measure and adjusted Rand index of clusters and themes. All loose texts of a day count as one group.
    v: f64,
    ari: f64,
}

impl ClusterScore {
    fn of(days: &[LabelledRows], told_k: bool, configs: &[ValidConfig]) -> Result<Self> {
        let mut score = Self { between: [usize::MAX, 0], ..Self::default() };
        let part = 1.0 / (days.len() * configs.len()).max(1) as f64;
        for (config, day) in configs.iter().flat_map(|config| days.iter().map(move |day| (config, day))) {
            let found = found(day, told_k.then(|| day.distinct_themes()), config)?;
            let n = found.clusters.len();
            score.themes += part * day.distinct_themes() as f64;
            score.clusters += part * n as f64;
            score.between = [score.between[0].min(n), score.between[1].max(n)];
            score.loose += part * found.loose.len() as f64 / day.len().max(1) as f64;
            let agreement = Agreement::of(day.themes.iter().zip(found.labels(day.len())));
            score.v += part * agreement.v_measure;
            score.ari += part * agreement.ari;
        }
        Ok(score)
    }
}

fn found(day: &LabelledRows, k: Option<usize>, config: &ValidConfig) -> Result<Clustering> {
    Ok(day.measured(|rows| cluster(rows.points()?, k, config))?)
}

/// Number of days drawn from CLINC150.
const DRAWN_DAYS: usize = 40;

/// Returns the days of labelled scenarios, and days drawn from CLINC150 if it is given.
fn days_with_labels(lab: &Lab) -> Result<Vec<(String, Vec<LabelledRows>)>> {
    let mut sets = Vec::new();
    for folder in lab.scenarios()?.into_iter().filter(|folder| folder.join("labels").is_dir()) {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut days = data::labelled_days(&folder)?;
        // Nights fold status lines before they cluster.
        days.iter_mut().for_each(|day| day.retain(|(memory, _)| memory.kind != Kind::Status));
        sets.push((name, LabelledRows::of_days(&days, &*lab.embedder)?));
    }
    if let Some(dir) = &lab.options.data {
        let mut lot = Xoshiro256Plus::seed_from_u64(lab.config.seed.0);
        let drawn = data::drawn_days(dir, DRAWN_DAYS, &mut lot)?;
        let days = drawn.iter().map(|day| LabelledRows::of_texts(day, &*lab.embedder));
        sets.push(("clinc150, drawn".to_owned(), days.collect::<Result<_, _>>()?));
    }
    Ok(sets)
}

/// Themes of days, as nights have them, against labels of people.
#[derive(Default)]
struct ThemeScore {
    days: usize,
    distinct: usize,
    themes: usize,
    /// Days of ten texts and more; of them those with three to seven themes.
    large: usize,
    three_to_seven: usize,
    loose: usize,
    /// Pairs of texts in one theme, and all pairs of a day; of each those with one label.
    pairs: CorrectCount,
    chance: CorrectCount,
}

impl ThemeScore {
    fn of(days: &[LabelledRows], config: &ValidConfig) -> Result<Self> {
        let mut score = Self { days: days.len(), ..Self::default() };
        for day in days {
            let (found, _) = day.measured(|rows| themes_of_day(rows, config))?;
            score.distinct += day.len();
            score.themes += found.clusters.len();
            score.large += usize::from(day.len() >= 10);
            score.three_to_seven += usize::from(day.len() >= 10 && (3..=7).contains(&found.clusters.len()));
            score.loose += found.loose.len();
            let all: Vec<usize> = (0..day.len()).collect();
            for (rows, count) in found.clusters.iter().map(|rows| (rows, true)).chain([(&all, false)]) {
                let count = if count { &mut score.pairs } else { &mut score.chance };
                let pairs =
                    rows.iter().flat_map(|&a| rows.iter().filter(move |&&b| b < a).map(move |&b| (a, b)));
                pairs.for_each(|(a, b)| count.count(day.themes[a] == day.themes[b]));
            }
        }
        Ok(score)
    }

    fn row(self, name: &str) -> Vec<Cell> {
        let a_day = |count: usize| format!("{:.1}", count as f64 / self.days.max(1) as f64);
        row![
            name,
            self.days,
            a_day(self.distinct),
            a_day(self.themes),
            Cell::Of(self.three_to_seven, self.large),
            Cell::Share(self.loose as f64 / self.distinct.max(1) as f64),
            Cell::Share(self.pairs.share()),
            Cell::Share(self.chance.share())
        ]
    }
}

/// Returns Spearman's correlation of the cohesion of clusters of two rows and more with the probability that two of a
/// cluster's rows are of one theme.
fn tracks_purity(lab: &Lab, set: &MeasuredSet) -> Result<Vec<Cell>> {
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for algorithm in FOR_COHESION {
        let config = lab.with(|c| c.cluster.algorithm = algorithm)?;
        for day in &set.days {
            let found = found(day, None, &config)?;
            let parts = day.measured(|rows| cohesion(rows, &found, &config.cluster))?;
            let several = found.clusters.iter().zip(parts).filter(|(members, _)| members.len() > 1);
            pairs.extend(several.map(|(members, parts)| {
                let purity = pair_purity(members.iter().map(|&row| &day.themes[row]));
                (parts.weighted_mean(&config.cohesion), purity)
            }));
        }
    }
    Ok(row![&set.name, pairs.len(), spearman(&pairs)])
}
