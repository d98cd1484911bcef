//! Flatness of figures over a long run: none of them may still grow late in it.

use std::fmt::{self, Write as _};

/// Figure that is measured in every window of a run.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    /// Name, the head of its column.
    pub name: &'static str,
    /// Number of decimals that are shown.
    pub decimals: usize,
    /// Largest allowed ratio of the last quarter to the second; none for a figure that is only shown.
    pub limit: Option<f64>,
}

/// Growth of a figure beyond its limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Excess {
    /// Name of the figure.
    pub name: &'static str,
    /// Ratio of the last quarter to the second.
    pub ratio: f64,
    /// Largest allowed ratio.
    pub limit: f64,
}

/// Windows of a run, each with a value for every figure. Shown as a table of Markdown.
#[derive(Debug)]
pub struct WindowTable {
    figures: &'static [Figure],
    rows: Vec<(usize, Vec<f64>)>,
}

impl WindowTable {
    /// Creates a table without windows.
    pub fn new(figures: &'static [Figure]) -> Self {
        Self { figures, rows: Vec::new() }
    }

    /// Adds a window that ends after `nights` nights, with a value for each figure.
    ///
    /// # Panics
    /// If there are not as many values as figures.
    pub fn push(&mut self, nights: usize, values: Vec<f64>) {
        assert_eq!(values.len(), self.figures.len(), "values of a window");
        self.rows.push((nights, values));
    }

    /// Returns the ratio of the last quarter to the second, each by the median of its windows, for every figure; none with
    /// fewer than four windows. The first quarter is left out: caches fill in it, and memories are not old enough to be
    /// forgotten.
    pub fn ratios(&self) -> Option<Vec<f64>> {
        let quarter = self.rows.len() / 4;
        if quarter == 0 {
            return None;
        }
        let (second, last) = (&self.rows[quarter..2 * quarter], &self.rows[self.rows.len() - quarter..]);
        let of = |rows: &[(usize, Vec<f64>)], at: usize| {
            let mut values: Vec<f64> = rows.iter().map(|(_, values)| values[at]).collect();
            values.sort_by(f64::total_cmp);
            percentile(&values, 0.5)
        };
        Some((0..self.figures.len()).map(|at| ratio(of(last, at), of(second, at))).collect())
    }

    /// Returns the figures that grew beyond their limits; none with fewer than four windows.
    pub fn excesses(&self) -> Option<Vec<Excess>> {
        let of = |(figure, ratio): (&Figure, f64)| {
            let limit = figure.limit?;
            (ratio > limit).then_some(Excess { name: figure.name, ratio, limit })
        };
        Some(self.figures.iter().zip(self.ratios()?).filter_map(of).collect())
    }
}

impl fmt::Display for WindowTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |name: &str, cell: &dyn Fn(usize, &Figure) -> String| {
            let mut line = format!("| {name} |");
            self.figures.iter().enumerate().for_each(|(at, figure)| {
                _ = write!(line, " {} |", cell(at, figure));
            });
            line
        };
        writeln!(f, "{}", line("nights", &|_, figure| figure.name.to_owned()))?;
        writeln!(f, "{}", line("---", &|_, _| "---".to_owned()))?;
        for (nights, values) in &self.rows {
            let name = nights.to_string();
            writeln!(f, "{}", line(&name, &|at, figure| format!("{:.*}", figure.decimals, values[at])))?;
        }
        if let Some(ratios) = self.ratios() {
            writeln!(f, "{}", line("last quarter / second", &|at, _| format!("{:.2}", ratios[at])))?;
            let limit = |_, figure: &Figure| figure.limit.map_or_else(String::new, |l| format!("{l:.2}"));
            writeln!(f, "{}", line("limit", &limit))?;
        }
        Ok(())
    }
}

/// Returns by how much a value grew; nothing that stays nothing has not grown.
fn ratio(last: f64, second: f64) -> f64 {
    if last <= 0.0 { 1.0 } else { last / second }
}

/// Returns the value at a share of sorted values, by nearest rank; 0 if there are none.
pub fn percentile(sorted: &[f64], share: f64) -> f64 {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIGURES: &[Figure] = &[
        Figure { name: "MB", decimals: 0, limit: Some(1.1) },
        Figure { name: "files", decimals: 0, limit: Some(1.0) },
        Figure { name: "days", decimals: 1, limit: None },
    ];

    fn table(rows: &[[f64; 3]]) -> WindowTable {
        let mut table = WindowTable::new(FIGURES);
        rows.iter().enumerate().for_each(|(i, row)| table.push(10 * (i + 1), row.to_vec()));
        table
    }

    #[test]
    fn figures_that_grow_in_the_second_half_exceed_their_limits() {
        // Eight windows: the second quarter is the third and fourth, the last the seventh and eighth.
        let rows = [0.0, 10.0, 100.0, 100.0, 104.0, 108.0, 112.0, 116.0].map(|mb| [mb, 3.0, mb]);
        let mb = Excess { name: "MB", ratio: 1.12, limit: 1.1 };
        assert_eq!(table(&rows).excesses(), Some(vec![mb]));

        let flat = [0.0, 10.0, 100.0, 100.0, 130.0, 108.0, 105.0, 110.0].map(|mb| [mb, 3.0, mb]);
        assert_eq!(table(&flat).excesses(), Some(Vec::new()));

        let mut leak = flat;
        (leak[6][1], leak[7][1]) = (4.0, 4.0);
        assert_eq!(table(&leak).excesses().unwrap()[0].name, "files");
    }

    #[test]
    fn what_appears_after_the_second_quarter_exceeds_and_nothing_at_all_does_not() {
        let mut rows = [[1.0, 0.0, 0.0]; 4];
        assert_eq!(table(&rows).excesses(), Some(Vec::new()));
        rows[3][1] = 1.0;
        assert!(table(&rows).excesses().unwrap()[0].ratio.is_infinite());
        assert_eq!(table(&rows[..3]).excesses(), None);
    }

    #[test]
    fn table_has_a_line_for_each_window_the_ratios_and_the_limits() {
        let shown = table(&[[1.0, 2.0, 0.24]; 4]).to_string();
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "| nights | MB | files | days |");
        assert_eq!(lines[5], "| 40 | 1 | 2 | 0.2 |");
        assert_eq!(lines[6], "| last quarter / second | 1.00 | 1.00 | 1.00 |");
        assert_eq!(lines[7], "| limit | 1.10 | 1.00 |  |");
        assert_eq!(lines.len(), 8);
    }

    #[test]
    fn percentiles_of_windows_are_nearest_ranks() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        let at: Vec<f64> = [0.5, 0.99, 1.0].iter().map(|share| percentile(&values, *share)).collect();
        assert_eq!(at, vec![50.0, 99.0, 100.0]);
        assert_eq!((percentile(&[7.0], 0.01), percentile(&[], 0.5)), (7.0, 0.0));
    }
}
