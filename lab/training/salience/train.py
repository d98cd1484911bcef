"""Fits the salience heads: linear readings of a sentence vector as the importance that a designer would give.

Usage, from the root of the repository, with `nightfold` on the PATH:

    pip install -r lab/training/salience/requirements.txt
    python3 lab/training/salience/train.py            # writes weights.f32 and talk.f32 of crates/consolidate/src/salience
    python3 lab/training/salience/train.py --measure  # on what was left out, and writes nothing

The head for events is fitted on the memories of the stories in `scenarios/`, the head for talk on `data/talk.tsv`; both
were written and rated for this project. Each story weighs alike, each text of a story once. Ridge regression, closed
form: the same input gives the same files up to rounding.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
HEADS = ROOT / "crates/consolidate/src/salience"
TALK = ROOT / "lab/training/salience/data"
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


def talk(file):
    """Returns (set, text, rating) of every line of talk in a file."""
    lines = (TALK / file).read_text().splitlines()[1:]
    return [("talk", text, float(worth)) for worth, text in (line.split("\t") for line in lines)]


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
    heads = {"weights.f32": rated(), "talk.f32": talk("talk.tsv")}
    for name, rows in heads.items():
        stories = np.array([story for story, _, _ in rows])
        importances = np.array([importance for _, _, importance in rows])
        vectors = embed([text for _, text, _ in rows])
        if not measure:
            weights, bias = fit(vectors, importances, stories)
            (HEADS / name).write_bytes(np.append(weights, bias).astype("<f4").tobytes())
            print(f"{name}: {len(rows)} texts of {len(set(stories))} sets")
            continue
        for story in sorted(set(stories)):
            held = stories == story
            if held.all():
                continue
            weights, bias = fit(vectors[~held], importances[~held], stories[~held])
            report(story, vectors[held] @ weights + bias, importances[held])
        if name == "talk.f32":
            weights, bias = fit(vectors, importances, stories)
            rows = talk("talk-test.tsv")
            read = embed([text for _, text, _ in rows]) @ weights + bias
            report("talk", read, np.array([worth for _, _, worth in rows]))


def report(name, read, given):
    """Prints Spearman's correlation of what a head reads with the ratings."""
    rank = np.corrcoef(ranks(read), ranks(given))[0, 1]
    print(f"{name:16} {len(given):5} texts  Spearman {rank:.3f}")


if __name__ == "__main__":
    main()
