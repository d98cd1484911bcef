"""Shipped weights back to numbers of 32 bits, for a training to go on from: what `export.py` did, undone but for the rounding."""
import argparse

import numpy as np
import torch
from safetensors.numpy import load_file

from train import Stance


def shipped_name(name):
    """Name that `export.py` gives to a tensor."""
    name = name.removeprefix("encoder.")
    return "encoder." + name if name.startswith("layer.") else name


def restored(path, state):
    """State of a network with the numbers of a shipped file in the places that it has."""
    tensors = load_file(path)
    state = dict(state)
    for name, value in state.items():
        shipped = shipped_name(name)
        if shipped in tensors:
            numbers = tensors[shipped].astype(np.float32)
            if shipped + ".scale" in tensors:
                numbers = numbers * tensors[shipped + ".scale"][:, None]
            state[name] = torch.tensor(numbers).reshape(value.shape)
    return state


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shipped", help="stance.safetensors")
    parser.add_argument("--model", required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    torch.save(restored(arguments.shipped, Stance(arguments.model).state_dict()), arguments.out)


if __name__ == "__main__":
    main()
