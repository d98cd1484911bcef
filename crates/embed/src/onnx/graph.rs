//! Builder of ONNX graphs, node by node, in the encoding of `onnx.proto` (IR version 8).
//!
//! Field numbers are those of that file; the fields of a message are written in ascending order.

use super::{message::Message, weights::Weight};

/// Domain of the additional operators that every build of ONNX Runtime has: each does the work of several
/// standard operators in one pass.
pub(super) const ONNX_RUNTIME: &str = "com.microsoft";

/// Version of the file format.
const IR_VERSION: i64 = 8;
/// The first operator set that has `LayerNormalization`.
const OPERATOR_SET: i64 = 17;

/// Element types of tensors.
const FLOAT: i64 = 1;
const INT8: i64 = 3;
const INT64: i64 = 7;

/// Name of a value in the graph: an input, a constant, or the output of a node.
#[derive(Debug, Clone)]
pub(super) struct Name(String);

impl Name {
    /// Names a value, which may be of another part of the graph.
    pub(super) fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }
}

/// Attribute of a node.
#[derive(Clone, Copy)]
pub(super) enum Attribute {
    Float(&'static str, f32),
    Int(&'static str, i64),
}

/// Graph under construction. Its contents are in the order of the calls, so equal calls produce equal bytes.
#[derive(Debug, Default)]
pub(super) struct GraphBuilder {
    nodes: Message,
    constants: Message,
    inputs: Message,
    outputs: Message,
}

/// The finished graph as a message.
pub(super) struct Graph(Message);

impl GraphBuilder {
    /// Adds an input of integers, batch × sequence.
    pub(super) fn input(&mut self, name: &str) -> Name {
        self.inputs.push(11, &value_info(name, INT64, None));
        Name::new(name)
    }

    /// Adds an input of vectors, batch × sequence × `size`.
    pub(super) fn vectors(&mut self, name: &str, size: usize) -> Name {
        self.inputs.push(11, &value_info(name, FLOAT, Some(size)));
        Name::new(name)
    }

    /// Declares an output of the graph, batch × sequence × `size`; some node must write it.
    pub(super) fn output(&mut self, name: &Name, size: usize) {
        self.outputs.push(12, &value_info(&name.0, FLOAT, Some(size)));
    }

    /// Adds a constant tensor of `f32`.
    pub(super) fn floats(&mut self, name: &str, weight: &Weight) -> Name {
        let words: Vec<[u8; 4]> = weight.values.iter().map(|value| value.to_le_bytes()).collect();
        self.constant(name, &weight.shape, FLOAT, words.as_flattened())
    }

    /// Adds a constant matrix of 8-bit integers.
    pub(super) fn bytes(&mut self, name: &str, weight: &Weight<i8>) -> Name {
        let bytes: Vec<u8> = weight.values.iter().map(|value| value.cast_unsigned()).collect();
        self.constant(name, &weight.shape, INT8, &bytes)
    }

    /// Adds a constant row of one integer.
    pub(super) fn integer(&mut self, name: &str, value: i64) -> Name {
        self.constant(name, &[1], INT64, &value.to_le_bytes())
    }

    /// Appends a node; returns its output, a value with the node's own name.
    pub(super) fn node(
        &mut self,
        operator: &str,
        name: &str,
        inputs: &[&Name],
        attributes: &[Attribute],
    ) -> Name {
        self.append(None, operator, name, inputs, attributes)
    }

    /// Appends a node like [`Self::node`], with an operator of [`ONNX_RUNTIME`].
    pub(super) fn fused(
        &mut self,
        operator: &str,
        name: &str,
        inputs: &[&Name],
        attributes: &[Attribute],
    ) -> Name {
        self.append(Some(ONNX_RUNTIME), operator, name, inputs, attributes)
    }

    fn append(
        &mut self,
        domain: Option<&str>,
        operator: &str,
        name: &str,
        inputs: &[&Name],
        attributes: &[Attribute],
    ) -> Name {
        let mut node = Message::default();
        for input in inputs {
            node = node.bytes(1, input.0.as_bytes());
        }
        node = node.bytes(2, name.as_bytes()).bytes(3, name.as_bytes()).bytes(4, operator.as_bytes());
        for attribute in attributes {
            let (name, kind) = match attribute {
                Attribute::Float(name, _) => (name, 1),
                Attribute::Int(name, _) => (name, 2),
            };
            let named = Message::default().bytes(1, name.as_bytes());
            let valued = match *attribute {
                Attribute::Float(_, value) => named.float(2, value),
                Attribute::Int(_, value) => named.int(3, value),
            };
            node.push(5, &valued.int(20, kind));
        }
        if let Some(domain) = domain {
            node = node.bytes(7, domain.as_bytes());
        }
        self.nodes.push(1, &node);
        Name::new(name)
    }

    fn constant(&mut self, name: &str, shape: &[usize], element: i64, bytes: &[u8]) -> Name {
        let sizes = shape.iter().fold(Message::default(), |sizes, &size| sizes.int(1, size as i64));
        self.constants.push(5, &sizes.int(2, element).bytes(8, name.as_bytes()).bytes(9, bytes));
        Name::new(name)
    }

    pub(super) fn finish(self, name: &str) -> Graph {
        let named = self.nodes.bytes(2, name.as_bytes());
        Graph(named.fields(self.constants).fields(self.inputs).fields(self.outputs))
    }
}

impl Graph {
    /// Returns the model: the graph with the versions that it is written in.
    pub(super) fn model(&self) -> Vec<u8> {
        let operators =
            |domain: &str, version| Message::default().bytes(1, domain.as_bytes()).int(2, version);
        Message::default()
            .int(1, IR_VERSION)
            .bytes(2, b"nightfold")
            .bytes(6, b"Every text of a batch must have the same number of tokens.")
            .message(7, &self.0)
            .message(8, &operators("", OPERATOR_SET))
            .message(8, &operators(ONNX_RUNTIME, 1))
            .into_bytes()
    }

    /// Returns the graph as a part of a model.
    pub(super) fn part(&self) -> Vec<u8> {
        Message::default().message(7, &self.0).into_bytes()
    }
}

/// Returns the name and type of an input or output: batch × sequence, perhaps × `size`.
fn value_info(name: &str, element: i64, size: Option<usize>) -> Message {
    let mut shape = Message::default();
    for name in ["batch", "sequence"] {
        shape.push(1, &Message::default().bytes(2, name.as_bytes()));
    }
    if let Some(size) = size {
        shape.push(1, &Message::default().int(1, size as i64));
    }
    let tensor = Message::default().int(1, element).message(2, &shape);
    Message::default().bytes(1, name.as_bytes()).message(2, &Message::default().message(1, &tensor))
}
