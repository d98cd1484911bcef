//! A line of bars, one for each night.

/// Bars from the least to the most.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Mark of a night without memories.
const NONE: char = '·';

/// Returns a bar for each number, as high as its share of `most`.
pub(crate) fn history_line(numbers: &[usize], most: usize) -> String {
    let bar = |&n: &usize| match n {
        0 => NONE,
        n => {
            let eighths = (8 * n).div_ceil(most.max(n));
            BARS[eighths.clamp(1, BARS.len()) - 1]
        }
    };
    numbers.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_high_as_their_share() {
        assert_eq!(history_line(&[0, 1, 4, 8], 8), "·▁▄█");
        assert_eq!(history_line(&[1], 1), "█");
        assert_eq!(history_line(&[1, 0], 1000), "▁·");
        assert_eq!(history_line(&[9], 0), "█");
        assert_eq!(history_line(&[], 3), "");
    }
}
