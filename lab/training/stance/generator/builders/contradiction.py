"""Pairs whose newer text, taken as true, leaves the older one no longer so, or never so."""

import modality
from grammar import plain


def told(maker):
    """A conflict told plainly."""
    clauses = maker.conflict()
    return clauses and (plain(clauses[0]), plain(clauses[1]), clauses[2])


def denied(maker):
    """The fact or its opposite, and a denial of the whole statement."""
    if maker.schema.ended and maker.rng.random() < 0.33:
        return plain(maker.opposite()), maker.under(modality.DENIALS, maker.opposite(newer=True)), "denied-in-frame"
    table = modality.DENIALS if maker.rng.random() < 0.6 else modality.DENIALS_NOW
    newer = maker.state(newer=True)
    older = maker.state() if maker.schema.negatable else newer
    return plain(older), maker.under(table, newer), "denied-in-frame"


def news(maker):
    """A conflict whose newer side is introduced as a discovery."""
    clauses = maker.conflict()
    return clauses and (plain(clauses[0]), maker.under(modality.NEWS, clauses[1]), clauses[2] + "+news")


def reported(maker):
    """A conflict of which one side is put forward through somebody."""
    clauses = maker.conflict()
    if not clauses:
        return None
    older, newer, kind = clauses
    table = modality.REPORTS if maker.rng.random() < 0.7 else modality.RUMOURS
    if maker.rng.random() < 0.6:
        return plain(older), maker.under(table, newer), kind + "+reported"
    return maker.under(table, older), plain(newer), kind + "+reported"


def extended(maker):
    """A conflict of which one side or both say more."""
    clauses = maker.conflict()
    if not clauses:
        return None
    older, newer, kind = clauses
    side = maker.rng.random()
    return (
        maker.extended(older) if side < 0.6 else plain(older),
        maker.extended(newer) if side > 0.45 else plain(newer),
        kind + "+extended",
    )


def detailed(maker):
    """The fact with a detail, then what ended it."""
    newer = maker.clause(maker.schema.ending) or maker.opposite(newer=True)
    return newer and (maker.detailed(), plain(newer), "ending+detailed")


BUILDERS = {told: 50, denied: 9, news: 9, reported: 13, extended: 13, detailed: 6}
