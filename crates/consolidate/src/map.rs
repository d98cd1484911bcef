//! Layout of a day's memories on a plane, for drawing.

use nightfold_memory::{MemoryId, rounded};

use crate::cluster::Proximity;

/// Largest number of power iterations. If two axes explain nearly the same, any direction between them is as
/// good, and a fixed number of iterations always yields the same one.
const MAX_POWER_ITERATIONS: usize = 200;

/// Change of an axis in one iteration below which it has converged.
const CONVERGENCE_TOLERANCE: f64 = 1e-9;

/// Share of each distance that comes from being in different clusters: enough to make the clusters visible,
/// little enough that outliers lie at the edge of their cluster.
const CLUSTER_SHARE: f64 = 0.25;

/// Work spent on fitting the distances, in pairs of memories: a day of 60 memories gets a hundred passes, a
/// day of thousands a few.
const FITTING_PAIRS: usize = 400_000;

/// Distinct memories of a day as points on a plane. Memories that the night finds similar lie close together,
/// and those of one cluster a little closer still, as far as a plane can show it. The scale is arbitrary:
/// only the proportions of distances have a meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct DayMap {
    /// One point for each distinct memory, in canonical order.
    pub points: Vec<MapPoint>,
    /// Share of all squared distances that the plane shows, 0 to 1; 1 for a day without distances.
    pub shown: f64,
}

/// Position of a memory on the plane.
#[derive(Debug, Clone, PartialEq)]
pub struct MapPoint {
    /// Memory that represents its text.
    pub id: MemoryId,
    /// Position to the right, to four decimal places.
    pub x: f64,
    /// Position upwards, to four decimal places.
    pub y: f64,
}

/// Lays out a day: classical scaling (Torgerson 1952) finds the two axes that explain most, then majorization
/// (de Leeuw 1977) moves the memories until the distances on the plane fit best. `themes` holds the cluster
/// of each row.
pub(crate) fn day_map(proximity: &Proximity<'_>, themes: &[Option<usize>], ids: &[&MemoryId]) -> DayMap {
    let n = proximity.len();
    let mut blended = Vec::with_capacity(n * n);
    for (i, theme) in themes.iter().enumerate() {
        let same = |j: usize| i == j || theme.is_some() && *theme == themes[j];
        let blend = |(j, &p): (usize, &f32)| {
            (1.0 - CLUSTER_SHARE) * f64::from(p) + if same(j) { CLUSTER_SHARE } else { 0.0 }
        };
        blended.extend(proximity.row(i).iter().enumerate().map(blend));
    }
    let mut axes = CentredMatrix::of(n, &blended);
    let (x, y) = (axes.take_axis(), axes.take_axis());
    let mut plane = Plane { n, points: x.into_iter().zip(y).collect() };
    let wanted: Vec<f64> = blended.iter().map(|p| (2.0 - 2.0 * p).max(0.0).sqrt()).collect();
    for _ in 0..(FITTING_PAIRS / (n * n).max(1)).clamp(8, 300) {
        plane.majorize(&wanted);
    }
    let place = |(id, (x, y)): (&&MemoryId, &(f64, f64))| MapPoint {
        id: (*id).clone(),
        x: rounded(*x),
        y: rounded(*y),
    };
    DayMap { points: ids.iter().zip(&plane.points).map(place).collect(), shown: plane.shown(&wanted) }
}

/// Memories as points on a plane.
struct Plane {
    n: usize,
    points: Vec<(f64, f64)>,
}

impl Plane {
    fn distance(&self, i: usize, j: usize) -> f64 {
        let ((ax, ay), (bx, by)) = (self.points[i], self.points[j]);
        ((ax - bx) * (ax - bx) + (ay - by) * (ay - by)).sqrt()
    }

    /// Moves every memory to the mean of the positions that the distances to the other memories ask for. Such
    /// a step never makes the fit worse.
    fn majorize(&mut self, wanted: &[f64]) {
        let next = (0..self.n).map(|i| {
            let (mut x, mut y) = (0.0, 0.0);
            for j in (0..self.n).filter(|&j| j != i) {
                let (here, there) = (self.points[i], self.points[j]);
                let apart = self.distance(i, j);
                let pull = if apart > f64::EPSILON { wanted[i * self.n + j] / apart } else { 0.0 };
                x += there.0 + pull * (here.0 - there.0);
                y += there.1 + pull * (here.1 - there.1);
            }
            let others = (self.n - 1).max(1) as f64;
            (x / others, y / others)
        });
        self.points = next.collect();
    }

    fn shown(&self, wanted: &[f64]) -> f64 {
        let (mut off, mut all) = (0.0, 0.0);
        for i in 0..self.n {
            for j in 0..i {
                let want = wanted[i * self.n + j];
                off += (want - self.distance(i, j)).powi(2);
                all += want * want;
            }
        }
        if all > f64::EPSILON { rounded((1.0 - off / all).clamp(0.0, 1.0)) } else { 1.0 }
    }
}

/// An `n × n` symmetric matrix whose rows and columns sum to zero.
struct CentredMatrix {
    n: usize,
    values: Vec<f64>,
}

impl CentredMatrix {
    fn of(n: usize, near: &[f64]) -> Self {
        let count = n.max(1) as f64;
        let row = |i: usize| &near[i * n..(i + 1) * n];
        let means: Vec<f64> = (0..n).map(|i| row(i).iter().sum::<f64>() / count).collect();
        let mean = means.iter().sum::<f64>() / count;
        let mut values = Vec::with_capacity(n * n);
        for i in 0..n {
            values.extend(row(i).iter().zip(&means).map(|(x, other)| x - means[i] - other + mean));
        }
        Self { n, values }
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.n..(i + 1) * self.n]
    }

    /// Returns the coordinates of all rows on the axis that explains most, and removes this axis from the
    /// matrix.
    fn take_axis(&mut self) -> Vec<f64> {
        let mut axis = self.start();
        let mut value = 0.0;
        for _ in 0..MAX_POWER_ITERATIONS {
            let mut next: Vec<f64> =
                (0..self.n).map(|i| self.row(i).iter().zip(&axis).map(|(a, b)| a * b).sum()).collect();
            value = length(&next);
            if value < f64::EPSILON {
                return vec![0.0; self.n];
            }
            next.iter_mut().for_each(|x| *x /= value);
            let moved = next.iter().zip(&axis).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            axis = next;
            if moved < CONVERGENCE_TOLERANCE {
                break;
            }
        }
        for i in 0..self.n {
            let row = self.values[i * self.n..(i + 1) * self.n].iter_mut().zip(&axis);
            row.for_each(|(x, other)| *x -= value * axis[i] * other);
        }
        // The sign of an eigenvector is arbitrary: the outermost memory is put on the right, or at the top.
        let furthest = axis.iter().copied().fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
        let scale = value.sqrt().copysign(furthest);
        axis.iter().map(|x| x * scale).collect()
    }

    /// Returns the row of the memory furthest from the centre as a start for the iteration: it has a
    /// component along every axis that explains this memory, and needs no random choice.
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

    fn map(rows: &[&[f32]], themes: &[Option<usize>]) -> DayMap {
        let mut vectors = Vectors::with_capacity(rows.first().map_or(2, |r| r.len()), rows.len());
        rows.iter().for_each(|row| vectors.push(row).unwrap());
        let ids: Vec<MemoryId> = (0..rows.len()).map(|i| format!("m{i}").parse().unwrap()).collect();
        day_map(&Proximity::of(&Gram::new(&vectors)), themes, &ids.iter().collect::<Vec<_>>())
    }

    #[test]
    fn planar_memories_keep_their_distances() {
        let rows: Vec<[f32; 2]> =
            [0.0_f32, 0.2, 1.5, 2.9, 4.0].map(|angle| [angle.cos(), angle.sin()]).to_vec();
        let map = map(&rows.iter().map(|r| &r[..]).collect::<Vec<_>>(), &[Some(0); 5]);
        assert!(map.shown > 0.999, "{}", map.shown);
        for (a, one) in map.points.iter().zip(&rows) {
            for (b, other) in map.points.iter().zip(&rows) {
                let drawn = (a.x - b.x).hypot(a.y - b.y);
                let meant =
                    f64::from((one[0] - other[0]).hypot(one[1] - other[1])) * (1.0 - CLUSTER_SHARE).sqrt();
                assert!((drawn - meant).abs() < 1e-2, "{} {}: {drawn} for {meant}", a.id, b.id);
            }
        }
    }

    #[test]
    fn clusters_are_separated() {
        // Six directions that are all equally far from each other, two to a theme.
        let rows: Vec<[f32; 6]> =
            (0..6).map(|i| std::array::from_fn(|d| f32::from(u8::from(d == i)))).collect();
        let themes: Vec<Option<usize>> = (0..6).map(|i| Some(i / 2)).collect();
        let map = map(&rows.iter().map(|r| &r[..]).collect::<Vec<_>>(), &themes);
        let apart =
            |i: usize, j: usize| (map.points[i].x - map.points[j].x).hypot(map.points[i].y - map.points[j].y);
        for i in 0..6 {
            let nearest = (0..6).filter(|&j| j != i).min_by(|&a, &b| apart(i, a).total_cmp(&apart(i, b)));
            assert_eq!(nearest.map(|j| j / 2), Some(i / 2), "{map:?}");
        }
    }

    #[test]
    fn memories_without_distances_lie_at_the_origin() {
        assert_eq!(map(&[], &[]), DayMap { points: vec![], shown: 1.0 });
        for rows in [&[&[1.0_f32, 0.0][..]][..], &[&[1.0, 0.0], &[1.0, 0.0], &[1.0, 0.0]]] {
            let map = map(rows, &vec![Some(0); rows.len()]);
            assert!(map.points.iter().all(|p| p.x.abs() < 1e-6 && p.y.abs() < 1e-6), "{map:?}");
        }
    }
}
