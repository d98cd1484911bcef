"""Power over places: rule, laws, permissions, sieges and wars."""

from .model import schema

SCHEMAS = [
    schema(
        "rule", "r:ruler t:town", "rule", rival="r", free="t",
        holds="""
            {r} <rules> (over/in) {t}
            {t} <is> ruled by {r}
            {r} <is> the ruler of {t}
            {r} <governs> {t}
            {t} <is> under the rule of {r}
            the ruler of {t} <is> {r}
        """,
        ended="""
            {r} no longer <rules> {t}
            {t} <is> no longer ruled by {r}
            the rule of {r} over {t} <is> over
            {r} <is> not the ruler of {t} any more
            {t} <is> free of the rule of {r}
        """,
        ending="""
            {r} <was> overthrown in {t} | the people of {t} <overthrew> {r}
            {r} <fled> from {t} and <gave> up power
            {r2} <took> power in {t} | power in {t} <passed> to {r2}
            the rebels <drove> {r} out of {t} | {r} <was> driven out of {t} by the rebels
            {r} <handed> the keys of {t} to {r2}
            {r} <lost> {t} to {r2} in the war
            {t} <=has> a new ruler in place of {r}
        """,
        stays="""
            {r} <raised> the taxes in {t}
            {r} <visited> {t2}
            {x} <asked> {r} for mercy
            {r2} <rules> {t2}
            {r} <is> loved in {t}
        """,
        more="""
            with an iron hand
            since the old king <died>
            and the people <are> afraid
            by the grace of the temple
        """,
    ),
    schema(
        "curfew", "t:town r:ruler", "law", free="t",
        holds="""
            there <is> a curfew in {t}
            {t} <is> under a curfew
            a curfew <is> in force in {t}
            in {t} there <is> a curfew
            nobody in {t} <is> allowed out of the house after dark
        """,
        ended="""
            there <is> no curfew in {t} any more
            {t} <is> no longer under a curfew
            the curfew in {t} <is> over
            the curfew in {t} <is> no longer in force
            everybody in {t} <is> allowed out after dark again
        """,
        ending="""
            {r} <lifted> the curfew in {t} | the curfew in {t} <was> lifted by {r}
            {x} <announced> the end of the curfew in {t} | the end of the curfew in {t} <was> announced by {x.o}
            the people of {t} <walk> the streets at midnight as they please
            the guards in {t} no longer <stop> anybody after dark
            {r} <has> done away with the curfew in {t}
        """,
        back="""
            {r} <put> {t} under a curfew again | {t} <was> put under a curfew again by {r}
        """,
        stays="""
            {x} <was> fined for noise in {t}
            the curfew in {t2} <is> over
            {x} <lives> in {t}
            {r} <gave> a feast in {t}
        """,
        more="""
            because of the murders
            by order of {r}
            and {x} <is> angry about it
        """,
    ),
    schema(
        "permission", "a:person p:place b:other", "permission", free="a p",
        holds="""
            {b} <lets> {a.o} hunt {p.at}
            {a} <is> allowed by {b.o} to hunt {p.at}
            {a} <=has> {b.p} leave to hunt {p.at}
            {a} <=has> {b.p} permission to hunt {p.at}
            {b} <allows> {a.o} to hunt {p.at}
        """,
        ended="""
            {b} <forbids> {a.o} to hunt {p.at}
            {a} <is> forbidden by {b.o} to hunt {p.at}
            {a} no longer <=has> {b.p} leave to hunt {p.at}
            {b} no longer <lets> {a.o} hunt {p.at}
            {a} <is> not allowed by {b.o} to hunt {p.at} any more
        """,
        ending="""
            {b} <took> back the permission for {a.o} to hunt {p.at}
            {b} <told> {a.o} never to hunt {p.at} again
            {b} <tore> up {a.p} licence to hunt {p.at} | {a.p} licence to hunt {p.at} <was> torn up by {b.o}
            {b} <has> banned all hunting {p.at}, even for {a.o}
            {a} <lost> the right to hunt {p.at}
        """,
        stays="""
            {a} <shot> a deer {p2.at}
            {b} <went> riding with {x.o}
            {a} <bought> a hunting dog
            {x} <is> forbidden by {b.o} to hunt {p.at}
        """,
        more="""
            on holy days
            since the spring
            and {x} <is> jealous
        """,
        negatable=True,
    ),
    schema(
        "siege", "t:town f:faction", "war siege", free="t",
        holds="""
            {t} <is> under siege by {f}
            {t} <is> besieged by {f}
            the siege of {t} by {f} <goes> on
            {t} <is> surrounded by {f}
        """,
        ended="""
            the siege of {t} <is> over
            {t} <is> no longer under siege
            {t} <is> free of the siege
            the siege of {t} <has> ended
            the siege of {t} <has> been lifted
        """,
        ending="""
            {f} <gave> up the siege of {t} | {f} <withdrew> from the walls of {t}
            {t} <fell> to {f} | {f} <took> {t} by storm
            {t} <opened> its gates and <surrendered> to {f}
            a relief army <drove> {f} away from {t}
            the camp of {f} before {t} <is> deserted, and the gates <are> open
            {f} <struck> their tents before {t} and <went> home
        """,
        stays="""
            {x} <carried> water to the walls of {t}
            the siege of {t2} <is> over
            {f} <seized> a wagon of bread
            {x} <is> inside {t}
            a letter from {t} <reached> {x.o}
        """,
        more="""
            since the spring
            and the bread <is> running out
            because of an old grudge
            in spite of the winter
        """,
    ),
    schema(
        "war", "f:faction g:faction", "war", free="f",
        holds="""
            {f} and {g} <are> at war
            a state of war <exists> between {f} and {g}
            {g} and {f} <are> at war with each other
            {f} and {g} <are> fighting a war
            the war between {f} and {g} <goes> on
        """,
        ended="""
            there <is> peace between {f} and {g}
            {f} and {g} <are> at peace
            {f} and {g} <are> no longer at war
            the war between {f} and {g} <is> over
            {f} and {g} <have> ended their war
        """,
        ending="""
            {f} and {g} <signed> a truce | a truce between {f} and {g} <was> signed
            {g} <surrendered> to {f} | {g} <laid> down arms before {f}
            {f} and {g} <made> peace | {f} and {g} <buried> the hatchet
            {f} and {g} <swore> an alliance
            the last battle <is> fought, and {f} and {g} <have> shaken hands
            envoys of {f} and {g} <agreed> on a lasting peace
        """,
        back="""
            {f} and {g} <are> at war again | war <has> broken out again between {f} and {g}
            {f} <broke> the peace and <attacked> {g}
        """,
        stays="""
            {x} <fought> for {f} in a tavern brawl
            {f} <hired> twenty archers
            {x} <is> selling arrows
            {x} <carried> a letter to {g}
        """,
        more="""
            over the river mills
            since the murder of the envoy
            and the villages <suffer>
            because of a broken treaty
        """,
    ),
]
