//! Clusters and cohesion of days of given vectors, for timing from outside: `benches/peers/themes.py` runs it
//! beside scikit-learn.
//!
//! `themes FILE.npy MEMORIES DAYS [ALGORITHM]`: the file's rows, as written by `nightfold-evaluate embed`, are cut
//! into days of MEMORIES rows, starting over at the end of the file. One thread. Prints the mean number of
//! clusters and the mean cohesion.

use std::{env, error::Error, fs, io::Write as _};

use nightfold_consolidate::{DayRows, cluster, cohesion};
use nightfold_formats::npy;
use nightfold_memory::{Config, GameTime, Importance, ValidConfig};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().collect();
    let [_, file, memories, days, algorithm @ ..] = args.as_slice() else {
        return Err("usage: themes FILE.npy MEMORIES DAYS [ALGORITHM]".into());
    };
    let (memories, days): (usize, usize) = (memories.parse()?, days.parse()?);
    let all = npy::read(&fs::read(file)?)?;
    let mut config = Config::default();
    if let Some(name) = algorithm.first() {
        config.cluster.algorithm = serde_json::from_value(name.as_str().into())?;
    }
    let config: ValidConfig = config.check()?;
    let times = vec![GameTime::ZERO; memories];
    let importances = vec![Importance::DEFAULT; memories];
    let intensities = vec![0.0; memories];
    let words: Vec<&[String]> = vec![&[]; memories];
    let (mut clusters, mut held) = (0, 0.0);
    for day in 0..days {
        let rows: Vec<usize> = (0..memories).map(|i| (day * memories + i) % all.len()).collect();
        let vectors = all.pick(&rows);
        let rows = DayRows {
            vectors: &vectors,
            words: &words,
            times: &times,
            importances: &importances,
            intensities: &intensities,
        };
        let found = cluster(rows.points()?, None, &config)?;
        let parts = cohesion(rows, &found, &config.cluster)?;
        clusters += found.clusters.len();
        held += parts.iter().map(|p| p.proximity).sum::<f64>() / parts.len().max(1) as f64;
    }
    writeln!(
        std::io::stdout(),
        "{:.2} clusters a day, cohesion {:.3}",
        clusters as f64 / days.max(1) as f64,
        held / days.max(1) as f64
    )?;
    Ok(())
}
