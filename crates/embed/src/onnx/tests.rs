use std::collections::{BTreeMap, BTreeSet};

use prost::Message;
use safetensors::{Dtype, tensor::TensorView};
use sha2::{Digest, Sha256};

use super::{
    proto::{AttributeProto, AttributeType, DataType, TensorProto, ValueInfoProto},
    *,
};

const TINY: Bert =
    Bert { vocabulary: 5, positions: 3, hidden: 4, intermediate: 6, heads: 2, layers: 2, epsilon: 1e-12 };

/// The tensors of [`TINY`] by name, with different small numbers in each.
fn tiny_tensors() -> BTreeMap<String, (Vec<usize>, Vec<f32>)> {
    let mut shapes = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![5, 4]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![3, 4]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, 4]),
    ];
    let mut norms = vec!["embeddings".to_owned()];
    for layer in 0..TINY.layers {
        let dense = [
            ("attention.self.query", [4, 4]),
            ("attention.self.key", [4, 4]),
            ("attention.self.value", [4, 4]),
            ("attention.output.dense", [4, 4]),
            ("intermediate.dense", [6, 4]),
            ("output.dense", [4, 6]),
        ];
        for (name, shape) in dense {
            shapes.push((format!("encoder.layer.{layer}.{name}.weight"), shape.to_vec()));
            shapes.push((format!("encoder.layer.{layer}.{name}.bias"), shape[..1].to_vec()));
        }
        norms.extend(["attention.output", "output"].map(|part| format!("encoder.layer.{layer}.{part}")));
    }
    for norm in norms {
        shapes.push((format!("{norm}.LayerNorm.weight"), vec![4]));
        shapes.push((format!("{norm}.LayerNorm.bias"), vec![4]));
    }
    shapes
        .into_iter()
        .enumerate()
        .map(|(at, (name, shape))| {
            let values = (0..shape.iter().product()).map(|i: usize| (at * 100 + i) as f32 / 64.0).collect();
            (name, (shape, values))
        })
        .collect()
}

fn safetensors(tensors: &BTreeMap<String, (Vec<usize>, Vec<f32>)>) -> Vec<u8> {
    let bytes: Vec<(&String, &Vec<usize>, Vec<u8>)> = tensors
        .iter()
        .map(|(name, (shape, values))| (name, shape, values.iter().flat_map(|v| v.to_le_bytes()).collect()))
        .collect();
    let views = bytes
        .iter()
        .map(|(name, shape, bytes)| (*name, TensorView::new(Dtype::F32, (*shape).clone(), bytes).unwrap()));
    safetensors::serialize(views, None).unwrap()
}

fn tiny() -> Vec<u8> {
    export(&TINY, "tiny", &safetensors(&tiny_tensors())).unwrap()
}

fn floats(model: &ModelProto, name: &str) -> (Vec<i64>, Vec<f32>) {
    let graph = model.graph.as_ref().unwrap();
    let tensor = graph.initializer.iter().find(|t| t.name.as_deref() == Some(name)).unwrap();
    assert_eq!(tensor.data_type(), DataType::Float);
    let (words, rest) = tensor.raw_data().as_chunks();
    assert!(rest.is_empty());
    (tensor.dims.clone(), words.iter().map(|&word| f32::from_le_bytes(word)).collect())
}

/// The bytes decide the checksum in `crates/embed/models/manifest.toml`, so any change of them, on any platform, must show
/// here. After an intended change, `cargo test -p nightfold-embed` prints the new digest; pin it here, and
/// the size and checksum of the real export in the manifest (which `nightfold models fetch --force` names as
/// found).
#[test]
fn equal_weights_give_equal_bytes_on_every_platform() {
    assert_eq!(tiny(), tiny());
    assert_eq!(
        format!("{:x}", Sha256::digest(tiny())),
        "2aff637f4c5471210110e8d5557a376211c9d474162db46f47c264a34b6912c9"
    );
}

#[test]
fn every_node_reads_earlier_values() {
    let model = ModelProto::decode(&*tiny()).unwrap();
    assert_eq!((model.ir_version(), model.opset_import[0].version()), (8, 17));
    let graph = model.graph.unwrap();
    let mut known: BTreeSet<&str> = graph.input.iter().map(ValueInfoProto::name).collect();
    for tensor in &graph.initializer {
        let width = if tensor.data_type() == DataType::Float { 4 } else { 8 };
        assert_eq!(tensor.raw_data().len() as i64, tensor.dims.iter().product::<i64>() * width);
        assert!(known.insert(tensor.name()), "{} twice", tensor.name());
    }
    for node in &graph.node {
        for input in &node.input {
            assert!(known.contains(input.as_str()), "{} reads {input}", node.name());
        }
        assert!(known.insert(node.name()), "{} twice", node.name());
    }
    assert_eq!(graph.output[0].name(), "last_hidden_state");
    assert!(known.contains("last_hidden_state"));
}

#[test]
fn weights_are_laid_out_for_multiplication() {
    let tensors = tiny_tensors();
    let model = ModelProto::decode(&*tiny()).unwrap();

    let (_, positions) = &tensors["embeddings.position_embeddings.weight"];
    let (_, segments) = &tensors["embeddings.token_type_embeddings.weight"];
    let (dims, sums) = floats(&model, "embeddings.position");
    assert_eq!(dims, [3, 4]);
    assert_eq!(sums[5].to_bits(), (positions[5] + segments[1]).to_bits());

    let name = "encoder.layer.1.intermediate.dense.weight";
    let (_, weight) = &tensors[name];
    let (dims, transposed) = floats(&model, name);
    assert_eq!(dims, [4, 6]);
    assert_eq!(transposed[1].to_bits(), weight[4].to_bits(), "row 0, column 1 was row 1, column 0");

    let biases = ["query", "key", "value"].map(|what| {
        let (_, bias) = &tensors[&format!("encoder.layer.1.attention.self.{what}.bias")];
        bias.clone()
    });
    assert_eq!(floats(&model, "encoder.layer.1.attention.self.bias"), (vec![12], biases.concat()));
}

#[test]
fn messages_have_the_layout_of_onnx_proto() {
    let tensor = TensorProto {
        dims: vec![2, 1],
        data_type: Some(DataType::Int64.into()),
        name: Some("n".to_owned()),
        raw_data: Some(vec![9]),
    };
    // Field number times eight plus wire type, then the value; repeated numbers one by one.
    assert_eq!(tensor.encode_to_vec(), [0x08, 2, 0x08, 1, 0x10, 7, 0x42, 1, b'n', 0x4a, 1, 9]);

    let attribute = AttributeProto {
        name: Some("axis".to_owned()),
        i: Some(0),
        r#type: Some(AttributeType::Int.into()),
        ..AttributeProto::default()
    };
    // A zero that is set is written: absent would mean no value.
    let expected = [b"\x0a\x04axis\x18\x00".as_slice(), &[0xa0, 0x01, 2]].concat();
    assert_eq!(attribute.encode_to_vec(), expected);
}

#[test]
fn other_weights_are_refused_by_name() {
    let error = export_mini_lm(b"no safetensors at all").unwrap_err();
    assert!(matches!(error, OnnxError::Safetensors(_)), "{error}");

    let mut tensors = tiny_tensors();
    let missing = tensors.remove("encoder.layer.1.output.dense.bias").unwrap();
    let error = export(&TINY, "tiny", &safetensors(&tensors)).unwrap_err();
    assert_eq!(error.to_string(), "the weights hold no tensor encoder.layer.1.output.dense.bias");

    tensors.insert("encoder.layer.1.output.dense.bias".to_owned(), missing);
    tensors.insert("embeddings.LayerNorm.bias".to_owned(), (vec![2], vec![0.0; 2]));
    let error = export(&TINY, "tiny", &safetensors(&tensors)).unwrap_err();
    assert_eq!(error.to_string(), "tensor embeddings.LayerNorm.bias is F32 [2]; the model has F32 [4]");
}
