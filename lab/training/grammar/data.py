"""Universal Dependencies in the words that the program sees: the pre-tokens of MiniLM's tokenizer.

A word of the treebank and a pre-token need not be the same ("don't" is `do` + `n't` there and `don` + `'` + `t` here; `1,000` is one word there
and three here), so every pre-token takes the tags of the word with which it shares most characters. Of several pre-tokens of one word, the first
with a letter or digit is the word; the others become its parts, by the relation `goeswith`.
"""

import dataclasses

UPOS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()
RELATIONS = (
    "acl advcl advmod amod appos aux case cc ccomp compound conj cop csubj dep det discourse dislocated expl fixed flat goeswith iobj list mark "
    "nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative xcomp"
).split()
FEATURES = {
    "Number": ["", "Sing", "Plur"],
    "Person": ["", "1", "2", "3"],
    "Tense": ["", "Past", "Pres"],
    "VerbForm": ["", "Fin", "Inf", "Part", "Ger"],
    "Mood": ["", "Ind", "Imp", "Sub"],
}
# Kinds of spelling, which the encoder does not see: it reads lower case.
SPELLINGS = ["lower", "title at start", "title", "capitals", "digits", "other"]
# Characters behind which a sentence, or a quotation, may begin.
OPENERS = set(".!?:;\"\u201c\u201d\u2018([{*\u2026")


@dataclasses.dataclass
class Word:
    """Word of the treebank: where it lies in the text, and its tags."""

    start: int
    end: int
    upos: str
    features: dict
    head: int  # 1-based within the sentence; 0 is the root
    relation: str


@dataclasses.dataclass
class Sentence:
    document: str
    text: str
    words: list


def read(path):
    """Returns the sentences of a CoNLL-U file whose words are found in their text, and the number of all."""
    sentences, total = [], 0
    document, text, rows = "", "", []
    for line in [*open(path, encoding="utf-8"), "\n"]:
        line = line.rstrip("\n")
        if line.startswith("# sent_id = "):
            document = line.removeprefix("# sent_id = ").rsplit("-", 1)[0]
        elif line.startswith("# text = "):
            text = line.removeprefix("# text = ")
        elif line and not line.startswith("#"):
            rows.append(line.split("\t"))
        elif not line and rows:
            total += 1
            words = located(text, rows)
            if words:
                sentences.append(Sentence(document, text, words))
            rows = []
    return sentences, total


def located(text, rows):
    """Returns the words with their places in the text; None if one is not there."""
    words, at = [], 0
    for _, form, _, upos, _, features, head, relation, *_ in rows:
        start = text.find(form, at)
        if start < 0 or text[at:start].strip():
            return None
        at = start + len(form)
        found = dict(f.split("=", 1) for f in features.split("|") if "=" in f)
        relation = relation.split(":")[0]
        if upos not in UPOS or relation not in RELATIONS:
            return None
        words.append(Word(start, at, upos, found, int(head), relation))
    return words


def joined(sentences):
    """Joins consecutive sentences to one text: words, heads and roots of all of them."""
    text, words = "", []
    for sentence in sentences:
        if text:
            text += " "
        by, before = len(text), len(words)
        for w in sentence.words:
            head = w.head + before if w.head else 0
            words.append(dataclasses.replace(w, start=w.start + by, end=w.end + by, head=head))
        text += sentence.text
    return text, words


def spelling(word, before):
    """Returns the index in SPELLINGS of a pre-token, given the one before it."""
    letters = [c for c in word if c.isalpha()]
    if any(c.isdigit() for c in word):
        return 4
    if not letters:
        return 5
    if len(letters) > 1 and all(c.isupper() for c in letters):
        return 3
    if letters[0].isupper():
        return 1 if before is None or before[-1] in OPENERS else 2
    return 0


@dataclasses.dataclass
class Aligned:
    """Pre-tokens of a text with their tags."""

    first_piece: list  # index of the token that begins each
    spelling: list
    upos: list
    features: list
    head: list  # 0 is the root, else 1 + index
    relation: list


def align(text, words, encoding):
    """Gives the pre-tokens of an encoded text the tags of the words."""
    spans, pieces = [], []
    for piece, (index, (start, end)) in enumerate(zip(encoding.word_ids, encoding.offsets)):
        if index is None:
            continue
        if index == len(spans):
            spans.append([start, end])
            pieces.append(piece)
        else:
            spans[index][1] = end
    # The word of each pre-token: most characters in common, of equals the first.
    of, at = [], 0
    for start, end in spans:
        while at + 1 < len(words) and words[at].end <= start:
            at += 1
        best, most = at, -1
        for n in range(at, len(words)):
            if words[n].start >= end:
                break
            common = min(end, words[n].end) - max(start, words[n].start)
            if common > most:
                best, most = n, common
        of.append(best)
    main = {}
    for index, word in enumerate(of):
        written = text[spans[index][0] : spans[index][1]]
        if word not in main or not solid(text, spans[main[word]]) and solid_text(written):
            main[word] = index
    for word in range(len(words)):
        # A word without a pre-token of its own ("not" in "cannot") lies in that of another.
        if word not in main:
            inside = [i for i, (s, e) in enumerate(spans) if s < words[word].end and e > words[word].start]
            main[word] = main[of[inside[0]]] if inside else None
    out = Aligned(pieces, [], [], [], [], [])
    for index, (start, end) in enumerate(spans):
        word = words[of[index]]
        before = None if index == 0 else text[spans[index - 1][0] : spans[index - 1][1]]
        out.spelling.append(spelling(text[start:end], before))
        out.upos.append(UPOS.index(word.upos))
        out.features.append([values.index(v) if (v := word.features.get(name, "")) in values else 0 for name, values in FEATURES.items()])
        if main[of[index]] != index:
            out.head.append(1 + main[of[index]])
            out.relation.append(RELATIONS.index("goeswith"))
            continue
        head, steps = word.head, 0
        while head and (main[head - 1] is None or main[head - 1] == index) and steps < len(words):
            head, steps = words[head - 1].head, steps + 1
        out.head.append(1 + main[head - 1] if head else 0)
        out.relation.append(RELATIONS.index(word.relation if head else "root"))
    return out


def solid_text(written):
    return any(c.isalnum() for c in written)


def solid(text, span):
    return solid_text(text[span[0] : span[1]])
