//! A night on a terminal.

use nightfold::consolidate::review::{Extent, Line, LineForm, NightView, TextRole};

use super::{
    nights::{Detail, DiffView},
    wrap_hanging,
};
use crate::terminal::{Terminal, clean};

/// Returns a night as text.
pub(crate) fn night(view: &NightView<'_>, form: DiffView) -> String {
    // Maintenance is a list of changes, of which none is more telling than the others.
    if form.detail == Detail::Summary && view.is_of_day() {
        let lines = view.summary(form.terminal.width);
        let lines: String = lines.iter().map(|line| laid_out(line, form.terminal)).collect();
        return lines + "\n";
    }
    let page = view.lines(form.extent(Extent::Brief));
    let mut out: String = page.lines.iter().map(|line| laid_out(line, form.terminal)).collect();
    if page.is_abridged {
        out.push_str(&painted(2, TextRole::Faint, form.more, form.terminal));
    }
    out.push('\n');
    out
}

fn laid_out(line: &Line<'_>, terminal: Terminal) -> String {
    let (text, indent, width) = (line.text(), line.form.indent(), terminal.width);
    match line.form {
        LineForm::Title => {
            // What is painted is not counted when lines are laid out.
            let laid = wrap_hanging("", 2, &text, width);
            laid.lines().map(|line_of_title| terminal.paint(line.role, line_of_title) + "\n").collect()
        }
        LineForm::Heading => {
            // The name alone is painted, and what is painted is not counted when lines are laid out.
            let (laid, name) = (wrap_hanging("  ", 2, &text, width), clean(&line.before));
            match laid.strip_prefix("  ").and_then(|laid| laid.strip_prefix(&*name)) {
                Some(rest) => format!("\n  {}{rest}", terminal.paint(line.role, &name)),
                None => format!("\n{laid}"),
            }
        }
        LineForm::Item => {
            let lead = format!("  {} ", terminal.paint(line.role, line.sign));
            wrap_hanging(&lead, indent + 2, &text, width)
        }
        LineForm::Note => wrap_hanging("  note: ", 8, &text, width),
        LineForm::Outcome | LineForm::Quote => wrap_hanging(&" ".repeat(indent), indent, &text, width),
        LineForm::Legend | LineForm::Detail | LineForm::Rest => painted(indent, line.role, &text, terminal),
        LineForm::Fold | LineForm::Unfold => String::new(),
    }
}

/// Returns text on lines of its own, each painted by itself: pagers reset colours at every line.
fn painted(indent: usize, role: TextRole, text: &str, terminal: Terminal) -> String {
    let lead = " ".repeat(indent);
    let laid = wrap_hanging(&lead, indent, text, terminal.width);
    laid.lines().map(|line| format!("{lead}{}\n", terminal.paint(role, line.trim_start()))).collect()
}
