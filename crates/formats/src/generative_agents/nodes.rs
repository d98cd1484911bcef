//! One file of nodes: a JSON object whose members are read one by one.

use std::{fmt, ops::Range, path::PathBuf, vec};

use nightfold_memory::IdError;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::error::SaveError;
use crate::jsonl::{JsonError, JsonLineError, LineProblem};

/// Fault of one node, without its place in the file.
pub(super) enum NodeFault {
    Name(IdError),
    Bounds(LineProblem),
    Json(Box<serde_path_to_error::Error<serde_json::Error>>),
}

/// Name of a node, and the place of its JSON.
#[derive(Debug)]
pub(super) struct NodePlace {
    pub(super) id: String,
    span: Range<usize>,
    /// Number of the line on which it begins, from 1.
    line: usize,
    /// Column in bytes, from 1.
    column: usize,
}

/// Members of the one object in a file, each with the place of its value: errors name that place, and reading can go on
/// after a bad node.
#[derive(Debug)]
pub(super) struct NodesFile {
    path: PathBuf,
    text: String,
    nodes: vec::IntoIter<NodePlace>,
}

/// Members of an object, in their order.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one object of nodes by their names")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

impl NodesFile {
    /// Finds the nodes of a file.
    ///
    /// # Errors
    /// [`SaveError::File`] if the text is not one object.
    pub(super) fn new(path: PathBuf, mut text: String) -> Result<Self, SaveError> {
        let marks = text.len() - text.trim_start_matches('\u{feff}').len();
        text.drain(..marks);
        let Members(members) = serde_json::from_str(&text).map_err(|error| {
            let (file, line) = (path.clone(), error.line());
            SaveError::File(JsonLineError { file, line, problem: JsonError::from(error).into() })
        })?;
        let (mut line, mut line_start, mut counted) = (1, 0, 0);
        let place = |(id, json): (String, &RawValue)| {
            let start = json.get().as_ptr().addr() - text.as_ptr().addr();
            let passed = text.get(counted..start).unwrap_or_default();
            line += passed.matches('\n').count();
            line_start = passed.rfind('\n').map_or(line_start, |end| counted + end + 1);
            counted = start;
            NodePlace { id, span: start..start + json.get().len(), line, column: start - line_start + 1 }
        };
        let nodes = members.into_iter().map(place).collect::<Vec<_>>().into_iter();
        Ok(Self { path, text, nodes })
    }

    /// Returns the next node.
    pub(super) fn next(&mut self) -> Option<NodePlace> {
        self.nodes.next()
    }

    /// Returns the JSON of a node.
    pub(super) fn json(&self, node: &NodePlace) -> &str {
        self.text.get(node.span.clone()).unwrap_or_default()
    }

    /// Places the fault of a node.
    pub(super) fn wrong(&self, node: &NodePlace, fault: NodeFault) -> SaveError {
        let &NodePlace { ref id, line, column, .. } = node;
        let (line, problem) = match fault {
            NodeFault::Name(source) => {
                return SaveError::NodeName { path: self.path.clone(), line, column, source };
            }
            NodeFault::Bounds(problem) => (line, problem),
            NodeFault::Json(error) => {
                let path = error.path().to_string();
                let field = Some(if path == "." { id.clone() } else { format!("{id}.{path}") });
                // The parser calls the first line of the node line 1.
                let mut error = JsonError { field, ..error.into_inner().into() };
                let down = error.problem.line().saturating_sub(1);
                if down == 0 {
                    error.column = column + error.column.saturating_sub(1);
                }
                (line + down, error.into())
            }
        };
        SaveError::Node(JsonLineError { file: self.path.clone(), line, problem })
    }
}
