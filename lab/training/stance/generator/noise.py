"""Surface noise: contractions, lower case, missing full stops."""

import re

CONTRACTIONS = [
    (r"\b([Ii])s not\b", r"\1sn't"), (r"\b([Aa])re not\b", r"\1ren't"), (r"\b([Ww])as not\b", r"\1asn't"),
    (r"\b([Dd])oes not\b", r"\1oesn't"), (r"\b([Dd])o not\b", r"\1on't"), (r"\b([Dd])id not\b", r"\1idn't"),
    (r"\b([Ww])ill not\b", r"\1on't"), (r"\b([Hh])as not\b", r"\1asn't"), (r"\b([Cc])annot\b", r"\1an't"),
    (r"\bI am\b", "I'm"), (r"\b([Ii])t is\b", r"\1t's"), (r"\bI have (?=got|learned|lost|found)", "I've "),
    (r"\bI will\b", "I'll"), (r"\b([Tt])here is\b", r"\1here's"),
]
CONTRACTED, LOWERED, UNSTOPPED = 0.30, 0.06, 0.12


def roughened(text, rng):
    """The sentence as some people would write it: now and then contracted, in lower case or without a full stop."""
    if rng.random() < CONTRACTED:
        for pattern, short in CONTRACTIONS:
            text = re.sub(pattern, short, text)
    if rng.random() < LOWERED:
        text = text.lower()
    if rng.random() < UNSTOPPED:
        text = text.removesuffix(".")
    return text
