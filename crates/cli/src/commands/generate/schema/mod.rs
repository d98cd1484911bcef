//! `nightfold generate schema`: prints the JSON Schema of an output, or lists them.

mod catalog;
mod document;

use nightfold_scenario::schema;

use self::catalog::outputs;
use crate::{
    error::{CliError, Exit, message},
    output,
    show::wrap_hanging,
    terminal::{Terminal, clean},
};

/// End of the names of files with schemas.
const SUFFIX: &str = ".schema.json";

/// Columns before the description of a schema in the list.
const NAME_COLUMNS: usize = 22;

pub(super) fn run(name: Option<&str>) -> Result<(), CliError> {
    let written = schema::all()?;
    let Some(name) = name else { return output::text(&list(&written)) };
    if let Some(found) = outputs().find(|output| output.name == name) {
        return output::product(&document::of(&found)?);
    }
    match written.iter().find(|(file, _)| file.strip_suffix(SUFFIX) == Some(name)) {
        Some((_, text)) => output::product(text),
        None => Err(message(Exit::Usage, format!("there is no schema {}", clean(name)))
            .hint("`nightfold generate schema` lists them")),
    }
}

/// Returns the names of all schemas, each with what it describes.
fn list(written: &[(&str, String)]) -> String {
    let width = Terminal::stdout().width;
    let line = |name: &str, told: &str| wrap_hanging(&format!("  {name:<20}"), NAME_COLUMNS, told, width);
    let mut out = "Outputs\n".to_owned();
    outputs().for_each(|output| out.push_str(&line(output.name, &output.calls.join(", "))));
    out.push_str("\nFiles that users write\n");
    for (file, _) in written {
        let name = file.strip_suffix(SUFFIX).unwrap_or(file);
        out.push_str(&line(name, &format!("`nightfold init` writes schemas/{file}")));
    }
    out
}
