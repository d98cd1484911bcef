//! Reading of a file line by line, with a maximum length.

use std::io::{self, BufRead};

/// Result of reading a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineRead {
    /// A line that ended with a newline.
    Line,
    /// The rest of the file after the last newline.
    Tail,
    /// A line beyond the maximum length; it was skipped.
    TooLong,
    /// End of the file.
    End,
}

/// Reads the next line into `line`, without its newline.
pub(crate) fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>, most: usize) -> io::Result<LineRead> {
    line.clear();
    let mut too_long = false;
    loop {
        let bytes = match input.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if bytes.is_empty() {
            return Ok(match (too_long, line.is_empty()) {
                (true, _) => LineRead::TooLong,
                (false, true) => LineRead::End,
                (false, false) => LineRead::Tail,
            });
        }
        let end = bytes.iter().position(|&b| b == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        too_long |= line.len() + part.len() > most;
        if !too_long {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Ok(if too_long { LineRead::TooLong } else { LineRead::Line });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_whole_or_skipped() {
        let text = b"ab\n\nabcde\nabc\nabcd";
        for capacity in [1, 2, 3, 100] {
            let mut input = io::BufReader::with_capacity(capacity, &text[..]);
            let mut line = Vec::new();
            let mut read = Vec::new();
            loop {
                let what = next_line(&mut input, &mut line, 4).unwrap();
                read.push((what, String::from_utf8(line.clone()).unwrap()));
                if what == LineRead::End {
                    break;
                }
            }
            let kinds: Vec<LineRead> = read.iter().map(|(what, _)| *what).collect();
            assert_eq!(
                kinds,
                [
                    LineRead::Line,
                    LineRead::Line,
                    LineRead::TooLong,
                    LineRead::Line,
                    LineRead::Tail,
                    LineRead::End
                ],
                "{capacity}"
            );
            assert_eq!((read[0].1.as_str(), read[3].1.as_str(), read[4].1.as_str()), ("ab", "abc", "abcd"));
        }
    }
}
