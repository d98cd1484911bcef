"""Pairs whose newer text adds nothing to the older one."""

import modality
from grammar import plain, still
from maker import renamed
from schemas.occasions import ACTIVITIES, DEEDS, WEATHER


def _plain(clauses, category):
    return clauses and (plain(clauses[0]), plain(clauses[1]), category)


def paraphrase(maker):
    """A statement of any kind in two wordings."""
    return _plain(maker.paraphrased(), "paraphrase")


def event(maker):
    """A happening around the fact in two wordings."""
    schema = maker.schema
    group = maker.group(schema.ending, schema.other, schema.stays, schema.back)
    return _plain(maker.reworded(group), "paraphrase-event")


def part(maker):
    """The fact and a part of it."""
    fewer = maker.clause(maker.schema.parts)
    return fewer and (plain(maker.state()), plain(fewer), "part")


def detail_dropped(maker):
    """The fact with a detail, then the fact alone."""
    return maker.detailed(), plain(maker.state(newer=True)), "detail-dropped"


def ending_alone(maker):
    """The end of the fact told among other things, then the end alone."""
    clauses = maker.twice(maker.group(maker.schema.ending))
    return clauses and (maker.extended(clauses[0]), plain(clauses[1]), "detail-dropped")


def report(maker):
    """One report by one person, or one rumour, in two wordings."""
    clauses = maker.paraphrased()
    if not clauses:
        return None
    table = modality.REPORTS if maker.rng.random() < 0.7 else modality.RUMOURS
    return maker.under(table, clauses[0]), maker.under(table, clauses[1]), "report-repeated"


def possibility(maker):
    """One possibility in two wordings."""
    clauses = maker.paraphrased()
    if not clauses:
        return None
    table = modality.POSSIBILITIES
    return maker.under(table, clauses[0]), maker.under(table, clauses[1]), "possibility-repeated"


def confirmation(maker):
    """A statement and its confirmation."""
    clauses = maker.paraphrased()
    if not clauses:
        return None
    older, newer = clauses
    chance = maker.rng.random()
    if chance < 0.35:
        return plain(older), still(newer), "still-so"
    if chance < 0.55:
        return maker.under(modality.CONFIRMATIONS, older), plain(newer), "confirmed"
    return plain(older), maker.under(modality.CONFIRMATIONS, newer), "confirmed"


def occasion(maker):
    """A passing activity, a small deed or the weather in two wordings."""
    group = maker.rng.choice(maker.occasions(ACTIVITIES, ACTIVITIES, DEEDS, DEEDS, WEATHER))
    return _plain(maker.reworded([renamed(wording, "x") for wording in group]), "paraphrase-occasion")


BUILDERS = {
    paraphrase: 40, event: 30, part: 14, detail_dropped: 17, ending_alone: 6, report: 7, possibility: 6,
    confirmation: 12, occasion: 3,
}
