//! A night on a terminal.

use nightfold::consolidate::review::{Extent, Line, LineForm, NightView, TextRole};

use super::{nights::DiffView, wrap_hanging};
use crate::terminal::{Terminal, clean};

/// Returns the changes of a night as text.
pub(crate) fn night(view: &NightView<'_>, form: DiffView) -> String {
    let page = view.lines(form.extent(Extent::Brief));
    let mut out: String = page.lines.iter().map(|line| laid_out(line, form.terminal)).collect();
    if page.is_abridged {
        out.push_str(&painted(2, TextRole::Faint, form.more, form.terminal));
    }
    out.push('\n');
    out
}

fn laid_out(line: &Line<'_>, terminal: Terminal) -> String {
    let (text, indent, width) = (line.text(), line.indent(), terminal.width);
    match line.form {
        LineForm::Title => terminal.paint(line.role, &clean(&text)) + "\n",
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
