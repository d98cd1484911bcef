//! Builder of ONNX graphs, node by node.

use super::{
    proto::{
        AttributeProto, AttributeType, DataType, Dimension, DimensionProto, GraphProto, NodeProto,
        TensorProto, TensorShapeProto, TensorTypeProto, TypeProto, ValueInfoProto,
    },
    weights::Weight,
};

/// Domain of the additional operators that every build of ONNX Runtime has: each does the work of several
/// standard operators in one pass.
pub(super) const ONNX_RUNTIME: &str = "com.microsoft";

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
pub(super) struct GraphBuilder(GraphProto);

impl GraphBuilder {
    pub(super) fn new(name: &str) -> Self {
        Self(GraphProto { name: Some(name.to_owned()), ..GraphProto::default() })
    }

    /// Adds an input of integers, whose sizes are known by name only.
    pub(super) fn input(&mut self, name: &str, sizes: &[&str]) -> Name {
        let sizes = sizes.iter().map(|&size| Dimension::Name(size.to_owned()));
        self.0.input.push(value_info(name, DataType::Int64, sizes));
        Name::new(name)
    }

    /// Declares an output of the graph; some node must write it.
    pub(super) fn output(&mut self, name: &Name, sizes: impl IntoIterator<Item = Dimension>) {
        self.0.output.push(value_info(&name.0, DataType::Float, sizes));
    }

    /// Adds a constant tensor of `f32`; one without sizes is a scalar.
    pub(super) fn floats(&mut self, name: &str, weight: &Weight) -> Name {
        let words: Vec<[u8; 4]> = weight.values.iter().map(|value| value.to_le_bytes()).collect();
        self.constant(name, &weight.shape, DataType::Float, words.into_flattened())
    }

    /// Adds a constant matrix of 8-bit integers.
    pub(super) fn bytes(&mut self, name: &str, shape: &[usize], values: &[i8]) -> Name {
        self.constant(name, shape, DataType::Int8, values.iter().map(|value| value.cast_unsigned()).collect())
    }

    /// Adds a constant row of integers.
    pub(super) fn integers(&mut self, name: &str, values: &[i64]) -> Name {
        let words: Vec<[u8; 8]> = values.iter().map(|value| value.to_le_bytes()).collect();
        self.constant(name, &[values.len()], DataType::Int64, words.into_flattened())
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
        self.0.node.push(NodeProto {
            input: inputs.iter().map(|input| input.0.clone()).collect(),
            output: vec![name.to_owned()],
            name: Some(name.to_owned()),
            op_type: Some(operator.to_owned()),
            attribute: attributes.iter().map(attribute).collect(),
            domain: domain.map(str::to_owned),
        });
        Name::new(name)
    }

    pub(super) fn finish(self) -> GraphProto {
        self.0
    }

    fn constant(&mut self, name: &str, shape: &[usize], data_type: DataType, bytes: Vec<u8>) -> Name {
        self.0.initializer.push(TensorProto {
            dims: shape.iter().map(|&size| size as i64).collect(),
            data_type: Some(data_type.into()),
            name: Some(name.to_owned()),
            raw_data: Some(bytes),
        });
        Name::new(name)
    }
}

fn attribute(attribute: &Attribute) -> AttributeProto {
    let (name, r#type) = match attribute {
        Attribute::Float(name, _) => (name, AttributeType::Float),
        Attribute::Int(name, _) => (name, AttributeType::Int),
    };
    let mut proto = AttributeProto {
        name: Some((*name).to_owned()),
        r#type: Some(r#type.into()),
        ..AttributeProto::default()
    };
    match *attribute {
        Attribute::Float(_, value) => proto.f = Some(value),
        Attribute::Int(_, value) => proto.i = Some(value),
    }
    proto
}

fn value_info(name: &str, data_type: DataType, sizes: impl IntoIterator<Item = Dimension>) -> ValueInfoProto {
    let dim = sizes.into_iter().map(|size| DimensionProto { value: Some(size) }).collect();
    ValueInfoProto {
        name: Some(name.to_owned()),
        r#type: Some(TypeProto {
            tensor_type: Some(TensorTypeProto {
                elem_type: Some(data_type.into()),
                shape: Some(TensorShapeProto { dim }),
            }),
        }),
    }
}
