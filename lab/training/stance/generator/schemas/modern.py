"""Modern life: appointments, versions, tools and favourites, as an assistant would remember them."""

from .model import schema

SCHEMAS = [
    schema(
        "appointment", "a:person m:meeting d:weekday", "calendar", free="a m", rival="d",
        holds="""
            {a.p} {m.n} <is> on {d}
            {a} <=has> {a.s} {m.n} on {d}
            {a.p} {m.n} <is> planned for {d}
            {a.p} {m.n} <is> scheduled for {d}
            {d} <is> the day of {a.p} {m.n}
            on {d} {a} <=has> {a.s} {m.n}
        """,
        ending="""
            {a.p} {m.n} <was> moved to {d2} | {a} <moved> {a.s} {m.n} to {d2}
            {a.p} {m.n} <was> cancelled | {a} <cancelled> {a.s} {m.n}
            {a.p} {m.n} <was> postponed from {d} to {d2}
            {x} <rescheduled> {a.p} {m.n} from {d} to {d2}
            {a.p} {m.n} <was> put off until next month
            {a.p} {m.n} <is> called off
        """,
        other="""
            there <is> no {m.n} in {a.p} calendar at all
            {a.p} {m.n} <is> on {d2}, not on {d}
            {d2} and not {d} <is> the day of {a.p} {m.n}
        """,
        stays="""
            {a} <was> late for work on {d2}
            {x.p} {m.n} <is> on {d2}
            {a} <wrote> {x.o} a mail about the train
            {a} <plays> tennis on {d}
            {a} <prepared> some slides
        """,
        more="""
            at half past nine
            together with {x.o}
            in the new office
        """,
    ),
    schema(
        "version", "p:project v:version a:other", "release", rival="v", free="p",
        holds="""
            {p} <runs> on version {v}
            the current version of {p} <is> {v}
            {p} <is> at version {v}
            version {v} of {p} <is> the one in use
            the version of {p} in use <is> {v}
        """,
        ending="""
            {a} <upgraded> {p} to version {v2} | {p} <was> upgraded to version {v2} by {a.o}
            {p} <was> switched from version {v} to {v2}
            {a} <replaced> version {v} of {p} | version {v} of {p} <was> replaced by {a.o}
            {p} <has> moved on to version {v2}
            version {v} of {p} <was> retired
            {a} <moved> {p} back to version {v2}
        """,
        other="""
            {p} no longer <uses> version {v}
            {p} <is> at version {v2}, not {v}
            version {v} of {p} <is> out of use
        """,
        stays="""
            {a} <fixed> a bug in {p}
            {a} <wrote> a guide for {p}
            {p2} <was> upgraded to version {v2}
            {x} <asked> {a.o} about {p}
        """,
        more="""
            since last week
            and {a} <is> happy with it
            because of a security bug
        """,
    ),
    schema(
        "favourite", "a:person c:colour d:dish", "taste", free="a", rival="d",
        holds="""
            {a.p} favourite dish <is> {d}
            {a} <likes> {d} best of all dishes
            {d} <is> {a.p} favourite dish
            of all dishes {a} <likes> {d} best
            the dish {a} <likes> best <is> {d}
        """,
        ended="""
            {d} <is> no longer {a.p} favourite dish
            {a.p} favourite dish <is> not {d} any more
            {a} no longer <likes> {d} best of all dishes
        """,
        ending="""
            {a} now <prefers> {d2} to every other dish, even {d}
            {a.p} favourite dish <has> changed from {d} to {d2}
            {a} <has> found a new favourite dish: {d2}
            {a} <has> gone off {d} and <will> not touch it again
            {d2} <has> taken the place of {d} as {a.p} favourite dish
        """,
        stays="""
            {a.p} favourite colour <is> {c}
            {x.p} favourite dish <is> {d2}
            {a} <ate> {d2} for lunch
            {a} <cooked> {d} for {x.o}
            {a} <dislikes> cold coffee
        """,
        more="""
            and {a.p} favourite colour <is> {c}
            even in summer
        """,
    ),
    schema(
        "assignment", "a:other p:project", "work task", rival="a", free="p",
        holds="""
            {a} <is> in charge of {p}
            {a} <is> responsible for {p}
            the person in charge of {p} <is> {a}
            {p} <is> {a.p} responsibility
            {a} <runs> {p}
            responsibility for {p} <lies> with {a.o}
        """,
        ended="""
            {a} <is> no longer in charge of {p}
            {a} <is> not responsible for {p} any more
            {p} <is> no longer {a.p} responsibility
            {a} <runs> {p} no longer
            {a} <=has> nothing to do with {p} any more
        """,
        ending="""
            {a} <handed> {p} over to {x.o} | {x} <took> over {p} from {a.o}
            {p} <was> given to {x.o} instead of {a.o}
            {a} <fell> out with the boss, and {x} now <runs> {p}
            the boss <took> {p} away from {a.o}
            {p} <was> cancelled and the team <was> dissolved
            {x} <replaced> {a.o} as the person in charge of {p}
        """,
        stays="""
            {a} <showed> {x.o} a draft of {p}
            {x} <is> in charge of {p2}
            {a} <took> a week off
            {x} <found> a bug in {p}
        """,
        more="""
            since the spring
            and {x} <helps>
            and the boss <knows> it
        """,
    ),
    schema(
        "start time", "e:event h:hour t:town", "time", rival="h", free="e t",
        holds="""
            the {e.n} in {t} <begins> at {h} o'clock
            the {e.n} in {t} <starts> at {h} o'clock
            the {e.n} in {t} <is> to begin at {h} o'clock
            the hour of the {e.n} in {t} <is> {h} o'clock
            at {h} o'clock the {e.n} in {t} <begins>
        """,
        ending="""
            the {e.n} in {t} <was> moved to {h2} o'clock by {x.o} | {x} <moved> the {e.n} in {t} to {h2} o'clock
            the {e.n} in {t} <was> cancelled by {x.o} | {x} <cancelled> the {e.n} in {t}
            the {e.n} in {t} <will> not take place at all
            the {e.n} in {t} <was> put off for a week
            there <will> be no {e.n} in {t}
            the {e.n} in {t} <is> off
        """,
        other="""
            the {e.n} in {t} <begins> at {h2} o'clock and not at {h}
            {h2} o'clock <is> when the {e.n} in {t} <begins>
        """,
        stays="""
            {x} <will> come to the {e.n} in {t}
            the {e2.n} in {t} <begins> at {h2} o'clock
            {x} <arrived> in {t} at {h2} o'clock
            {x} <hates> the {e.n}
            last year's {e.n} in {t} <was> cancelled
        """,
        more="""
            in the market square
            and {x} <will> open it
            because of the early dusk
        """,
    ),
]
