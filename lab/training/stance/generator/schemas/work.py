"""Work and standing: jobs, offices, lessons, guilds and loyalties."""

from .model import schema

SCHEMAS = [
    schema(
        "job", "a:person j:job f:faction", "work", free="a",
        holds="""
            {a} <works> as a {j} for {f}
            {a} <is> employed as a {j} by {f}
            {a} <earns> {a.s} bread as a {j} for {f}
            {a} <is> in the service of {f} as a {j}
        """,
        parts="""
            {a} <works> for {f} | {a} <is> in the service of {f}
            {a} <works> as a {j}
        """,
        ended="""
            {a} no longer <works> for {f}
            {a} <is> no longer employed by {f}
            {a.p} service for {f} <is> over
            {a} <is> no longer in the service of {f}
            {a} <has> left the service of {f}
        """,
        ending="""
            {a} <was> dismissed as a {j} | {a} <lost> the post of {j}
            {a} <gave> up {a.s} work as a {j} and <became> a beggar
            {a} <gave> notice and <walked> out for good
            {f} <threw> {a.o} out | {a} <was> thrown out by {f}
            {x} <took> over {a.p} post for good
            {a} <went> home with the last wages and <is> out of work
            {a} <retired> from all work
        """,
        stays="""
            {a} <asked> {f} for better wages
            {a} <was> late for work yesterday
            {x} <lost> the post of {j2} | {x} <was> dismissed as a {j2}
            {a} <=has> a sister in the service of {x.o}
            {a} <helped> {x.o} with the hay
        """,
        more="""
            for three silver a week
            since last autumn
            and {a} <hates> it
            together with {x.o}
        """,
        negatable=True,
    ),
    schema(
        "office", "a:other o:office t:town", "work office", rival="a", free="a+t",
        holds="""
            {a} <is> the {o} in {t}
            the {o} in {t} <is> {a}
            {a} <holds> the office of {o} in {t}
            in {t}, {a} <is> the {o}
            {a} <serves> as {o} in {t}
        """,
        ended="""
            {a} <is> no longer the {o} in {t}
            {a} no longer <holds> the office of {o} in {t}
            {a} <is> not the {o} in {t} any more
            the office of {o} in {t} <is> no longer {a.p}
            {a.p} time as {o} in {t} <is> over
        """,
        ending="""
            {a} <retired> as {o} | {a} <stepped> down as {o} | {a} <laid> down the office of {o}
            {x} <replaced> {a.o} as {o} in {t} | {a} <was> replaced by {x.o} as {o} in {t}
            the council <stripped> {a.o} of {a.s} office | {a} <was> stripped of {a.s} office by the council
            {x} <was> chosen to be the new {o} in {t} | they <chose> {x.o} as the new {o} in {t}
            {a} <was> chased out of office
            {a} <handed> the seal of the {o} to {x.o}
            {a} <gave> up the office in {t} to become a monk
        """,
        other="""
            {x} <is> the {o} in {t} | the {o} in {t} <is> {x}
            {a} only <pretends> to be the {o} in {t}
            the office of {o} in {t} <is> vacant
            there <is> no {o} in {t}
        """,
        stays="""
            {x} <spoke> to {a.o} about the taxes
            {a} <dined> with {x.o}
            {a} <gave> a speech in {t}
            {x} <wants> to become {o2} one day
            {a} <wears> a chain of silver
        """,
        more="""
            by order of the queen
            since the war
            and {x} <envies> it
            and the people <are> content
        """,
    ),
    schema(
        "apprenticeship", "a:other b:other s:subject", "teach", free="a s",
        holds="""
            {a} <teaches> {b.o} {s}
            {a} <is> {b.p} teacher of {s}
            {b} <is> taught {s} by {a.o}
            {a} <gives> {b.o} lessons in {s}
            {b} <takes> lessons in {s} from {a.o}
            {b} <is> {a.p} pupil in {s}
        """,
        ended="""
            {a} no longer <teaches> {b.o} {s}
            {b} <is> no longer {a.p} pupil in {s}
            the lessons in {s} that {a} <gave> {b.o} <are> over
            {a} <is> {b.p} teacher of {s} no more
            {a} <has> stopped teaching {b.o} {s}
        """,
        ending="""
            {b} <ran> away from {a.p} lessons in {s} for good
            {a} <sent> {b.o} away and <will> teach {b.m} no more
            {b} <has> learned all that {a} <knows> of {s}, and the lessons in it <are> over
            {x} <took> over as {b.p} teacher of {s} from {a.o}
            {b} <gave> up {s} for good | {b} <has> given up {s} for good
            {a} <gave> {b.o} the last lesson in {s} and <said> goodbye
        """,
        stays="""
            {b} <broke> a slate
            {a} <praised> {b.o}
            {a} <teaches> {x.o} {s2}
            {b} <was> late for {a.p} lesson
            {x} <has> given up {s2} for good
        """,
        more="""
            on market days
            and {x} <pays> for it
            since the autumn
            and {x} <watches>
        """,
    ),
    schema(
        "allegiance", "a:other f:faction", "allegiance", free="a",
        holds="""
            {a} <is> loyal to {f}
            {a} <stands> by {f}
            {a} <supports> {f}
            {a} <is> on the side of {f}
            {a} <sides> with {f}
        """,
        ended="""
            {a} <is> disloyal to {f}
            {a} no longer <stands> by {f}
            {a} <is> no longer loyal to {f}
            {a} no longer <supports> {f}
            {a} <is> not on the side of {f} any more
        """,
        ending="""
            {a} <betrayed> {f} | {f} <was> betrayed by {a.o}
            {a} <went> over to {f2} and now <fights> against {f}
            {a} <deserted> from {f} in the night
            {a} <sold> the plans of {f} to the enemy
            {a} <turned> {a.s} back on {f} for good
            {a} <burnt> the banner of {f} and <joined> the other side
            {a} <renounced> the oath to {f} | {a} <broke> the oath to {f}
        """,
        back="""
            {a} <returned> to {f} and <swore> loyalty once more
            {a} <is> loyal to {f} once more | {a} <is> on the side of {f} again
        """,
        other="""
            {a} <is> an enemy of {f} | {a} <is> against {f} | {a} <opposes> {f}
            {a} <is> a secret agent of those who <oppose> {f}
            {a} only <pretends> to be loyal to {f}
        """,
        stays="""
            {a} <asked> {f} for a loan of horses
            {x} <betrayed> {f} | {f} <was> betrayed by {x.o}
            {a} <met> a messenger from {f2}
            {a} <wore> a red cloak
            {f} <held> a feast
        """,
        more="""
            since the great war
            because of {x.o}
            and {x} <knows> it
            like all of {a.s} family
        """,
    ),
    schema(
        "membership", "a:person f:faction", "membership", free="a",
        holds="""
            {a} <is> a member of {f}
            {a} <belongs> to {f}
            {a} <is> one of the members of {f}
            {a} <is> counted among the members of {f}
            {a} <is> in the ranks of {f}
        """,
        ended="""
            {a} <is> no longer a member of {f}
            {a} no longer <belongs> to {f}
            {a} <is> not one of the members of {f} any more
            {a} <is> out of {f}
            {a} <has> left {f}
        """,
        ending="""
            {a} <was> expelled from {f} | the elders <expelled> {a.o} from {f}
            {a} <resigned> from {f} | {a} <gave> back the badge of {f}
            {a} <walked> out of {f} and <slammed> the door
            {x} <crossed> {a.p} name off the roll of {f} | {a.p} name <was> crossed off the roll of {f} by {x.o}
            {a} <was> thrown out of {f} for theft
        """,
        back="""
            {a} <joined> {f} again
        """,
        other="""
            {a} never <joined> {f}
            {a} only <pretends> to belong to {f}
            {a} <is> a spy of {f2} and no true member of {f}
        """,
        stays="""
            {a} <paid> the yearly fee to {f}
            {x} <wants> to join {f}
            {x} <was> expelled from {f} | the elders <expelled> {x.o} from {f}
            {a} <dined> at the hall of {f}
        """,
        more="""
            since last spring
            like {x}
            by the favour of {x.o}
        """,
    ),
]
