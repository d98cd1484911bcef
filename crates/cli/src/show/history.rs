//! A line of bars, one for each night.

/// Bars from the least to the most.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Mark of a night without memories.
const NONE: char = '·';

/// Returns a bar for each number, as high as its share of `most`.
pub(crate) fn history_line(numbers: &[u32], most: u32) -> String {
    let bar = |&n: &u32| match n {
        0 => NONE,
        n => {
            let eighths = (f64::from(n) / f64::from(most.max(n)) * 8.0).ceil() as usize;
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
