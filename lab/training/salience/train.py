"""Fits the heads: linear readings of a sentence vector as the importance that a designer would give, and as how well
something went.

Usage, from the root of the repository, with `nightfold` on the PATH:

    pip install -r lab/training/salience/requirements.txt
    python3 lab/training/salience/train.py            # writes the heads in crates/consolidate/src/salience
    python3 lab/training/salience/train.py --measure  # on what was left out, and writes nothing

The head for events is fitted on the memories of the stories in `scenarios/`, the head for talk on `data/talk.tsv`; both
were written and rated for this project. Each story weighs alike, each text of a story once. The head for
valence is fitted on pairs of sentences in `data/valence.tsv`, of which one went well and one badly. Ridge regression, closed
form: the same input gives the same files up to rounding.
"""

import argparse
import base64
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
PENALTY_OF_PAIRS = 2.0
FOLDS = 10


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


def pairs():
    """Returns (number, text, value) of every sentence of the pairs, the good one 1 and the bad one -1, and of neutral ones."""
    cells = [line.split("\t") for line in (TALK / "valence.tsv").read_text().splitlines()[1:]]
    neutral = (TALK / "neutral.txt").read_text().splitlines()
    toned = [(int(pair), text, sign) for pair, good, bad in cells for text, sign in ((good, 1.0), (bad, -1.0))]
    return toned + [(len(cells) + number, text, 0.0) for number, text in enumerate(neutral, 1)]


def embed(texts):
    """Returns the vectors of texts, by the embedder that the night uses: each is a pinned memory of a planned night."""
    texts = list(texts)
    with tempfile.TemporaryDirectory() as folder:
        lines, plan = pathlib.Path(folder, "texts.jsonl"), pathlib.Path(folder, "plan.json")
        memory = {"npc": "texts", "at": "2000-01-01T00:00:00Z", "kind": "event", "importance": 10, "pinned": True}
        numbered = {text: f"t{number}" for number, text in enumerate(texts)}
        lines.write_text("".join(json.dumps({**memory, "id": i, "text": t}) + "\n" for t, i in numbered.items()))
        subprocess.run(["nightfold", "sleep", "-q", lines, "--plan", plan], check=True, stdout=subprocess.DEVNULL)
        changes = [change for night in json.loads(plan.read_text())["nights"] for change in night["changes"]]
    read = {c["id"]: np.frombuffer(base64.b64decode(c["vector"]), "<f4") for c in changes if c.get("vector")}
    return np.array([read[numbered[text]] for text in texts], dtype=float)


def fit(vectors, importances, stories, penalty=PENALTY):
    """Returns weights and bias of the ridge regression in which every story weighs alike."""
    sizes = collections.Counter(stories)
    weight = np.array([1.0 / sizes[story] for story in stories])
    weight *= len(weight) / weight.sum()
    mean, middle = np.average(vectors, axis=0, weights=weight), np.average(importances, weights=weight)
    centred = vectors - mean
    gram = (centred * weight[:, None]).T @ centred + penalty * np.eye(vectors.shape[1])
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
    valence(measure)
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


def valence(measure):
    """Fits or measures the head for valence."""
    rows = pairs()
    number, value = np.array([pair for pair, _, _ in rows]), np.array([value for _, _, value in rows])
    vectors, alike = embed([text for _, text, _ in rows]), ["all"] * len(rows)
    if not measure:
        weights, bias = fit(vectors, value, alike, PENALTY_OF_PAIRS)
        (HEADS / "valence.f32").write_bytes(np.append(weights, bias).astype("<f4").tobytes())
        print(f"valence.f32: {len(rows)} sentences")
        return
    read = np.zeros(len(value))
    for fold in range(FOLDS):
        held = number % FOLDS == fold
        weights, bias = fit(vectors[~held], value[~held], alike[: int((~held).sum())], PENALTY_OF_PAIRS)
        read[held] = vectors[held] @ weights + bias
    sure, toned = np.abs(read) >= 0.3, value != 0
    right = np.sign(read) == value
    print(f"valence          {toned.sum():5} texts  sign {right[toned].mean():.3f}, of the {(sure & toned).sum()} sure ones "
          f"{right[sure & toned].mean():.3f}; {(sure & ~toned).sum()} of {(~toned).sum()} neutral ones are sure")


def report(name, read, given):
    """Prints Spearman's correlation of what a head reads with the ratings."""
    rank = np.corrcoef(ranks(read), ranks(given))[0, 1]
    print(f"{name:16} {len(given):5} texts  Spearman {rank:.3f}")


if __name__ == "__main__":
    main()
