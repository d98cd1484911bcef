"""Fits the salience head: a linear reading of a sentence vector as the importance that a designer would give.

Usage, from the root of the repository, with `nightfold` on the PATH:

    pip install -r training/salience/requirements.txt
    python3 training/salience/train.py            # writes crates/consolidate/src/salience/weights.f32
    python3 training/salience/train.py --measure  # leaves out one story at a time, and writes nothing

The data are the memories of the stories in `scenarios/`, which were written and rated for this project. Each
story weighs alike, each text of a story once. Ridge regression, closed form: the same input gives the same file
up to rounding.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEIGHTS = ROOT / "crates/consolidate/src/salience/weights.f32"
PENALTY = 10.0


def rated():
    """Returns (story, text, mean importance) of every rated memory that is no status line."""
    importances = collections.defaultdict(list)
    for path in sorted(ROOT.glob("scenarios/*/days/*.jsonl")):
        story = path.parent.parent.name
        for line in path.read_text().splitlines():
            memory = json.loads(line)
            if memory.get("importance") and memory.get("kind") != "status":
                importances[story, memory["text"]].append(memory["importance"])
    return [(story, text, float(np.mean(given))) for (story, text), given in sorted(importances.items())]


def embed(texts):
    """Returns the vectors of texts, by the embedder that the night uses."""
    with tempfile.TemporaryDirectory() as folder:
        lines, out = pathlib.Path(folder, "texts.jsonl"), pathlib.Path(folder, "vectors.npy")
        lines.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        subprocess.run(["nightfold", "embed", lines, "--out", out], check=True, stdout=subprocess.DEVNULL)
        return np.load(out).astype(np.float64)


def fit(vectors, importances, stories):
    """Returns weights and bias of the ridge regression in which every story weighs alike."""
    sizes = collections.Counter(stories)
    weight = np.array([1.0 / sizes[story] for story in stories])
    weight *= len(weight) / weight.sum()
    mean, middle = np.average(vectors, axis=0, weights=weight), np.average(importances, weights=weight)
    centred = vectors - mean
    gram = (centred * weight[:, None]).T @ centred + PENALTY * np.eye(vectors.shape[1])
    weights = np.linalg.solve(gram, (centred * weight[:, None]).T @ (importances - middle))
    return weights, middle - mean @ weights


def ranks(values):
    """Returns ranks, equal values sharing the mean of theirs."""
    _, group, size = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(size) - (size + 1) / 2)[group]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", action="store_true", help="leave out one story at a time; write nothing")
    measure = options.parse_args().measure
    rows = rated()
    stories = np.array([story for story, _, _ in rows])
    importances = np.array([importance for _, _, importance in rows])
    vectors = embed([text for _, text, _ in rows])
    if measure:
        for story in sorted(set(stories)):
            held = stories == story
            weights, bias = fit(vectors[~held], importances[~held], stories[~held])
            rank = np.corrcoef(ranks(vectors[held] @ weights + bias), ranks(importances[held]))[0, 1]
            print(f"{story:16} {held.sum():5} texts  Spearman {rank:.3f}")
        return
    weights, bias = fit(vectors, importances, stories)
    WEIGHTS.write_bytes(np.append(weights, bias).astype("<f4").tobytes())
    print(f"{len(rows)} texts of {len(set(stories))} stories: {WEIGHTS.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
