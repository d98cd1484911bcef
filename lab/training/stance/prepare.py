"""Labelled pairs of all sources, in one shape, split into train and test.

A row is (first, second, label, source). In sets of natural language inference `first` is the premise; in pairs of memories it is
the older statement. Labels:

| label | loss |
|---|---|
| entailment, neutral, contradiction | cross-entropy |
| not_entailment | -log(1 - p(entailment)): the set has two labels, and contradictions hide behind this one |
"""
import hashlib
import json
import pathlib
import re

# Longer pairs are left out: memories are short, and they cost most.
MOST_CHARS = 300
# One part in so many of each set is kept for test.
TEST_SHARE = 7

HERE = pathlib.Path(__file__).resolve().parent


CONTRACTIONS = [(re.compile(pattern), to) for pattern, to in (
    (r"\b([Cc])an['\u2019]t\b", r"\1an not"), (r"\b([Ww])on['\u2019]t\b", r"\1ill not"), (r"\b([Ss])han['\u2019]t\b", r"\1hall not"), (r"n['\u2019]t\b", " not"),
    (r"['\u2019]ll\b", " will"), (r"['\u2019]re\b", " are"), (r"['\u2019]ve\b", " have"), (r"\b([Ii])['\u2019]m\b", r"\1 am"),
    (r"\b([Hh]e|[Ss]he|[Ii]t|[Tt]hat|[Tt]here|[Hh]ere|[Ww]ho|[Ww]hat|[Ww]here)['\u2019]s\b", r"\1 is"))]


def written_out(text):
    """Text without contractions, as the night has it judged."""
    for pattern, to in CONTRACTIONS:
        text = pattern.sub(to, text)
    return text


def share(text, parts):
    """Part of 0..parts that a text falls into, the same in every run."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) % parts


def is_test(row):
    """True if a pair is kept for test: pairs of one first text stay together."""
    return share(row["a"], TEST_SHARE) == 0


def sets():
    """Name, most pairs taken, and two labels or three, of each set."""
    for line in (HERE.parents[2] / "lab/evaluate/data/stance/sets.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, most, two_way = line.split("\t")
            yield name, int(most), two_way == "yes"


def read_set(folder, name, two_way):
    """Rows of one set of `nli`, the last cell true for those kept for test."""
    with open(folder / name / "pairs.jsonl", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            label = row["label"]
            if label == "neutral" and two_way:
                label = "not_entailment"
            label = {"paraphrase": "entailment", "not_paraphrase": "not_entailment"}.get(label, label)
            if row["a"].strip() and row["b"].strip() and len(row["a"]) + len(row["b"]) < MOST_CHARS:
                yield row["a"], row["b"], label, is_test(row)


def inference(folder, test=False):
    """Pairs of the open sets of natural language inference below a folder."""
    folder = pathlib.Path(folder)
    for name, most, two_way in sets():
        rows = [row for row in read_set(folder, name, two_way) if row[3] == test]
        rows.sort(key=lambda row: hashlib.sha256((row[0] + "\t" + row[1]).encode()).digest())
        for first, second, label, _ in rows[:most]:
            yield first, second, label, name


STANCES = {"same": "entailment", "contradiction": "contradiction", "unrelated": "neutral"}
# What a pair is the other way round, where that is certain.
TURNED = {"adds-detail": "entailment", "repeats-part": "neutral", "paraphrase": "entailment"}


def by_hand(path):
    """Pairs of memories written by hand: family, category, stance, older, newer."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if not line.strip() or line.startswith("#"):
                continue
            family, category, stance, older, newer = line.rstrip("\n").split("\t")
            yield older, newer, STANCES[stance], f"by-hand:{family}"
            if category in TURNED:
                yield newer, older, TURNED[category], f"by-hand:{family}"


def generated(path):
    """Pairs that the generator wrote."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield row["older"], row["newer"], STANCES[row["label"]], f"generated:{row['family']}"
