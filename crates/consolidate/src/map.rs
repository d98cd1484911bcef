//! A day's memories as points on a plane, for whoever draws them.

use nightfold_memory::{MemoryId, rounded};

use crate::cluster::Proximity;

/// Passes of power iteration at most. Where two axes tell nearly as much as each other, any direction between them is as
/// good, and a fixed number of passes always gives the same one.
const PASSES: usize = 200;

/// An axis that moves less than this in a pass has settled.
const SETTLED: f64 = 1e-9;

/// The distinct memories of a day on a plane: what is close in the night's own similarities lies close together, as far as
/// two axes can show it. Of any size; only distances mean something.
#[derive(Debug, Clone, PartialEq)]
pub struct DayMap {
    /// One for each distinct memory, in canonical order.
    pub places: Vec<Place>,
    /// The share of all squared distances that the two axes show, 0 to 1; 1 of a day without distances.
    pub shown: f64,
}

/// Where a memory lies.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The memory that stands for its text.
    pub id: MemoryId,
    /// Along the axis that tells most, to four places.
    pub x: f64,
    /// Along the axis that tells most of the rest, to four places.
    pub y: f64,
}

/// Classical scaling (Torgerson 1952) of proximities, in which half a squared distance is one minus a proximity: the two
/// leading eigenvectors of their double-centred matrix, each by the root of its eigenvalue.
pub(crate) fn day_map<'a>(near: &Proximity<'_>, ids: impl IntoIterator<Item = &'a MemoryId>) -> DayMap {
    let mut rest = Centred::of(near);
    let all: f64 = (0..rest.n).map(|i| rest.values[i * rest.n + i]).sum();
    let [x, y] = [rest.take_axis(), rest.take_axis()];
    let told: f64 = [&x, &y].into_iter().flatten().map(|c| c * c).sum();
    let shown = if all > f64::EPSILON { rounded((told / all).clamp(0.0, 1.0)) } else { 1.0 };
    let places = ids.into_iter().zip(x.iter().zip(&y));
    let place =
        |(id, (x, y)): (&MemoryId, (&f64, &f64))| Place { id: id.clone(), x: rounded(*x), y: rounded(*y) };
    DayMap { places: places.map(place).collect(), shown }
}

/// An `n × n` symmetric matrix whose rows and columns sum to nothing.
struct Centred {
    n: usize,
    values: Vec<f64>,
}

impl Centred {
    fn of(near: &Proximity<'_>) -> Self {
        let n = near.len();
        let count = n.max(1) as f64;
        let means: Vec<f64> =
            (0..n).map(|i| near.row(i).iter().map(|&x| f64::from(x)).sum::<f64>() / count).collect();
        let mean = means.iter().sum::<f64>() / count;
        let mut values = Vec::with_capacity(n * n);
        for i in 0..n {
            let row = near.row(i).iter().zip(&means);
            values.extend(row.map(|(&x, other)| f64::from(x) - means[i] - other + mean));
        }
        Self { n, values }
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.n..(i + 1) * self.n]
    }

    /// The coordinates of all rows along the axis that tells most, which is taken out of the matrix.
    fn take_axis(&mut self) -> Vec<f64> {
        let mut axis = self.start();
        let mut value = 0.0;
        for _ in 0..PASSES {
            let mut next: Vec<f64> =
                (0..self.n).map(|i| self.row(i).iter().zip(&axis).map(|(a, b)| a * b).sum()).collect();
            value = length(&next);
            if value < f64::EPSILON {
                return vec![0.0; self.n];
            }
            next.iter_mut().for_each(|x| *x /= value);
            let moved = next.iter().zip(&axis).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            axis = next;
            if moved < SETTLED {
                break;
            }
        }
        for i in 0..self.n {
            let row = self.values[i * self.n..(i + 1) * self.n].iter_mut().zip(&axis);
            row.for_each(|(x, other)| *x -= value * axis[i] * other);
        }
        // An eigenvector has no sign of its own: what lies furthest out lies on the right, or on top.
        let furthest = axis.iter().copied().fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
        let scale = value.sqrt().copysign(furthest);
        axis.iter().map(|x| x * scale).collect()
    }

    /// The row of whoever lies furthest from the middle: within reach of every axis that tells of it, and no lot drawn.
    fn start(&self) -> Vec<f64> {
        let out = |i: &usize| self.values[i * self.n + i];
        let mut furthest = 0;
        (0..self.n).for_each(|i| furthest = if out(&i) > out(&furthest) { i } else { furthest });
        let mut row = if self.n == 0 { Vec::new() } else { self.row(furthest).to_vec() };
        let length = length(&row);
        row.iter_mut().for_each(|x| *x /= length.max(f64::MIN_POSITIVE));
        row
    }
}

fn length(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use nightfold_memory::Vectors;

    use super::*;
    use crate::gram::Gram;

    fn map(rows: &[&[f32]]) -> DayMap {
        let mut vectors = Vectors::with_capacity(rows.first().map_or(2, |r| r.len()), rows.len());
        rows.iter().for_each(|row| vectors.push(row).unwrap());
        let ids: Vec<MemoryId> = (0..rows.len()).map(|i| format!("m{i}").parse().unwrap()).collect();
        day_map(&Proximity::of(&Gram::new(&vectors)), &ids)
    }

    #[test]
    fn what_lies_in_a_plane_keeps_its_distances() {
        let rows: Vec<[f32; 2]> =
            [0.0_f32, 0.2, 1.5, 2.9, 4.0].map(|angle| [angle.cos(), angle.sin()]).to_vec();
        let map = map(&rows.iter().map(|r| &r[..]).collect::<Vec<_>>());
        assert!((map.shown - 1.0).abs() < 1e-3, "{}", map.shown);
        for (a, one) in map.places.iter().zip(&rows) {
            for (b, other) in map.places.iter().zip(&rows) {
                let drawn = (a.x - b.x).hypot(a.y - b.y);
                let meant = f64::from((one[0] - other[0]).hypot(one[1] - other[1]));
                assert!((drawn - meant).abs() < 1e-3, "{} {}: {drawn} for {meant}", a.id, b.id);
            }
        }
    }

    #[test]
    fn days_without_distances_lie_in_the_middle() {
        assert_eq!(map(&[]), DayMap { places: vec![], shown: 1.0 });
        for rows in [&[&[1.0_f32, 0.0][..]][..], &[&[1.0, 0.0], &[1.0, 0.0], &[1.0, 0.0]]] {
            let map = map(rows);
            assert!(map.places.iter().all(|p| p.x.abs() < 1e-6 && p.y.abs() < 1e-6), "{map:?}");
        }
    }
}
