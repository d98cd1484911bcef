//! How well a cluster hangs together.

use crate::gram::Gram;

/// Mean pairwise cosine of a cluster, −1 to 1; 0 for a cluster without pairs, which shows no theme.
pub(crate) fn mean_pairwise_cosine(gram: &Gram, members: &[usize]) -> f64 {
    let n = members.len();
    if n < 2 {
        return 0.0;
    }
    let mut sum = 0.0;
    for (a, &i) in members.iter().enumerate() {
        for &j in &members[..a] {
            sum += f64::from(gram.cosine(i, j));
        }
    }
    sum / (n * (n - 1) / 2) as f64
}

#[cfg(test)]
mod tests {
    use nightfold_memory::Vectors;

    use super::*;

    #[test]
    fn it_agrees_with_the_closed_form() {
        let mut vectors = Vectors::with_capacity(2, 3);
        let rows = [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]];
        rows.iter().for_each(|r| vectors.push(r).unwrap());
        // (‖Σv‖² − n) / (n (n − 1))
        let sum = rows.iter().fold([0.0; 2], |s, r| [s[0] + f64::from(r[0]), s[1] + f64::from(r[1])]);
        let closed = (sum[0] * sum[0] + sum[1] * sum[1] - 3.0) / 6.0;
        let open = mean_pairwise_cosine(&Gram::new(&vectors), &[0, 1, 2]);
        assert!((open - closed).abs() < 1e-6, "{open} {closed}");
        assert!(mean_pairwise_cosine(&Gram::new(&vectors), &[1]).abs() < f64::EPSILON);
    }
}
