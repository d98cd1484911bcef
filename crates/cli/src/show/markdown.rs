//! A night in Markdown, for reviews in version control.
//!
//! Memory text is written by players: nothing in it becomes markup, a link, a mention or a reference.

use nightfold::consolidate::review::{Extent, LineForm, NightView};

use super::nights::DiffView;
use crate::terminal::clean;

/// Returns the changes of a night as Markdown.
pub(crate) fn night(view: &NightView<'_>, form: DiffView) -> String {
    let mut out = String::new();
    let mut in_list = false;
    for line in view.lines(form.extent(Extent::Review)).lines {
        let id = line.id.map_or_else(String::new, |id| format!("<code>{}</code>", plain(id.as_str())));
        let text = format!("{}{id}{}", plain(&line.before), plain(&line.after));
        let is_item =
            matches!(line.form, LineForm::Item | LineForm::Quote | LineForm::Detail | LineForm::Rest);
        if in_list && !is_item {
            out.push('\n');
        }
        in_list = is_item;
        out.push_str(&match line.form {
            LineForm::Title => format!("## {text}\n\n"),
            LineForm::Heading => format!("### {}\n\n", capitalized(&text)),
            LineForm::Outcome => format!("{text}\n\n"),
            // Signs at the beginning of a line would be bullets.
            LineForm::Legend => format!("Signs: {text}\n\n"),
            LineForm::Note => format!("Note: {text}\n\n"),
            LineForm::Item => format!("- `{}` {text}\n", line.sign),
            LineForm::Quote => format!("  > {text}\n"),
            LineForm::Detail => format!("  - {text}\n"),
            LineForm::Rest => format!("- {text}\n"),
            LineForm::Fold => format!("<details><summary>{text}</summary>\n\n"),
            LineForm::Unfold => "</details>\n\n".to_owned(),
        });
    }
    if in_list {
        out.push('\n');
    }
    out
}

/// Returns a heading that begins with a capital letter.
fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Returns the totals of a run, one per line.
pub(crate) fn totals(lines: &str) -> String {
    let lines: String = lines.lines().map(|line| format!("- {}\n", plain(line))).collect();
    format!("{lines}\n")
}

/// Returns text in which nothing is markup. Besides the marks of Markdown and its dialects this breaks the
/// patterns that are searched after the markup is read: `@name`, `#12`, and beginnings of addresses.
fn plain(text: &str) -> String {
    let text = clean(text);
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let before = text.as_bytes().get(at.saturating_sub(3)..at).unwrap_or_default();
        match c {
            // What a statement opens with is no address.
            ':' if chars.peek().is_some_and(|&(_, next)| next == ' ') => out.push(c),
            '@' | '#' => out.push_str(&format!("{c}<!-- -->")),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '$' | ':' | '^' => {
                out.push_str(&format!("&#{};", u32::from(c)));
            }
            '.' if before.eq_ignore_ascii_case(b"www") => out.push_str("&#46;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag};

    use super::*;

    /// Returns the visible text of an item, and true if anything else than text is in it.
    fn read(text: &str) -> (String, bool) {
        let page = format!("- `+` <code>m1</code> “{}”\n", plain(text));
        let (mut seen, mut markup) = (String::new(), false);
        let typography = Options::ENABLE_SMART_PUNCTUATION;
        for event in Parser::new_ext(&page, Options::all() - typography) {
            match event {
                Event::Text(t) => seen.push_str(&t),
                Event::Code(sign) => assert_eq!(&*sign, "+"),
                Event::Html(_)
                | Event::InlineHtml(_)
                | Event::SoftBreak
                | Event::Start(Tag::List(_) | Tag::Item)
                | Event::End(_) => {}
                _ => markup = true,
            }
        }
        (seen, markup)
    }

    #[test]
    fn player_text_never_becomes_markup() {
        for text in [
            "<script>alert(1)</script>",
            "[click](https://example.org) ![x](y) **bold** `code` ~~gone~~ | cell |",
            "https://example.org www.example.org a@b.org @admin #12 :smile: $x$",
            "--> <!-- &amp; &#64; \\",
            "a | b || c",
        ] {
            let (seen, markup) = read(text);
            assert!(!markup, "{text}");
            assert_eq!(seen, format!(" m1 “{text}”"));
            assert!(!plain(text).contains("@admin") && !plain(text).contains(" #12"));
        }
    }

    proptest! {
        #[test]
        fn random_text_never_becomes_markup(text in "[ -~]{1,60}") {
            let text = text.trim();
            let (seen, markup) = read(text);
            prop_assert!(!markup, "{}", plain(text));
            prop_assert_eq!(seen, format!(" m1 “{text}”"));
        }
    }
}
