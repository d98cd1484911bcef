"""Trained weights to the file that Nightfold ships: matrices in 8 bits with a scale for each row, vectors in 32.

A row of a table is divided by a 127th of its largest number and rounded; a row of a matrix that is multiplied by a 63rd. The program
multiplies these as they are (crates/embed, `onnx/bert.rs`). Processors that add two products in 16 bits would cut off the sum of larger
numbers: so all of them compute the same.
"""
import argparse
import hashlib
import json
import pathlib

import numpy as np
import torch
from safetensors.numpy import save_file


def quantised(matrix, largest):
    """Rows in whole numbers up to `largest`, and the scale of each."""
    scale = np.maximum(np.abs(matrix).max(1), 1e-12) / largest
    return np.clip(np.rint(matrix / scale[:, None]), -largest, largest).astype(np.int8), scale.astype(np.float32)


def export(state):
    """Tensors by the names that the program knows."""
    tensors = {}
    for name, value in state.items():
        name = name.removeprefix("encoder.")
        if name.startswith(("layer.",)):
            name = "encoder." + name
        if name.startswith("pooler.") or name.endswith("position_ids") or name.endswith("token_type_ids"):
            continue
        value = value.float().numpy()
        if value.ndim == 2 and value.shape[0] > 3:
            tensors[name], tensors[name + ".scale"] = quantised(value, 127 if "embeddings" in name else 63)
        else:
            tensors[name] = np.ascontiguousarray(value.astype(np.float32))
    return tensors


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", help="what train.py wrote")
    parser.add_argument("out", help="stance.safetensors")
    arguments = parser.parse_args()
    tensors = export(torch.load(arguments.weights, map_location="cpu"))
    save_file(tensors, arguments.out)
    content = pathlib.Path(arguments.out).read_bytes()
    print(json.dumps({"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}))


if __name__ == "__main__":
    main()
