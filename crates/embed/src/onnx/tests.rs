use std::collections::BTreeMap;

use safetensors::{Dtype, tensor::TensorView};
use sha2::{Digest, Sha256};

use super::*;

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

/// The bytes decide the checksum in `models/manifest.toml`, so any change of them, on any platform, must show
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
