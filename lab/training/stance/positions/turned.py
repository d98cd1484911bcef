"""Statements of two roles, and what the same words say when the roles are turned round."""

LIKED = "ale|wine,tea|coffee,winter|summer,cats|dogs,the sea|the hills,bread|porridge,music|silence,spring|autumn,dawn|dusk,silver|gold,swords|bows,trains|planes,books|films,cider|mead,horses|mules,the town|the forest,fish|meat,rain|snow,apples|pears,chess|cards,Latin|sums,walking|riding,the morning shift|the night shift,work|idleness,old songs|new songs".split(",")
PREFERENCES = ("{S} [prefer] {a} to {b}", "{S} would rather have {a} than {b}", "{S} [like] {a} better than {b}", "{S} [think] {a} better than {b}", "{S} [value] {a} more than {b}", "With {O} it is {a} before {b}",
               "{S} would give up {b} before {a}", "{S} [choose] {a} over {b}", "{S} always [take] {a} rather than {b}")
# Wordings that say one thing, with the roles of {p} and {q}; the label that they have turned round.
RELATIONS = (
    ("contradiction", ("{p} is older than {q}", "{q} is younger than {p}", "{p} was born before {q}", "Of the two, {p} is older than {q}")),
    ("contradiction", ("{p} is taller than {q}", "{q} is shorter than {p}", "{p} stands a head above {q}", "{q} is not as tall as {p}")),
    ("contradiction", ("{p} is the father of {q}", "{q} is {p}'s child", "{p} is {q}'s father", "{q} has {p} for a father")),
    ("contradiction", ("{p} is the mother of {q}", "{p} is {q}'s mother", "{q} is a child of {p}", "{q} calls {p} mother")),
    ("contradiction", ("{p} works for {q}", "{q} is {p}'s employer", "{q} employs {p}", "{p} is in the pay of {q}")),
    ("contradiction", ("{p} is {q}'s boss", "{q} answers to {p}", "{p} commands {q}", "{q} is under the orders of {p}")),
    ("contradiction", ("{p} is richer than {q}", "{q} is poorer than {p}", "{p} has more money than {q}", "{q} does not have as much money as {p}")),
    ("contradiction", ("{p} is stronger than {q}", "{q} is weaker than {p}", "{p} has more strength than {q}", "{q} is no match for {p}")),
    ("contradiction", ("{p} is {q}'s apprentice", "{q} is {p}'s master", "{p} is learning the trade under {q}", "{q} has taken {p} as an apprentice")),
    ("contradiction", ("{p} lives above {q}", "{q} lives below {p}", "{q} has the rooms under {p}", "{p} has the rooms over {q}")),
    ("unrelated", ("{p} struck {q}", "{q} was struck by {p}", "{p} hit {q}", "{p} gave {q} a blow")),
    ("unrelated", ("{p} taught {q} to read", "{q} learnt to read from {p}", "{q} was taught to read by {p}")),
    ("unrelated", ("{p} owes {q} {n}", "{q} is owed {n} by {p}", "{p} is {n} in debt to {q}")),
    ("unrelated", ("{p} sold the mare to {q}", "{q} bought the mare from {p}", "The mare was sold to {q} by {p}")),
    ("unrelated", ("{p} trusts {q}", "{q} has the trust of {p}", "{p} believes in {q}")),
    ("unrelated", ("{p} loves {q}", "{q} is loved by {p}", "{p} is in love with {q}")),
    ("unrelated", ("{p} wrote to {q}", "{q} got a letter from {p}", "{p} sent {q} a letter")),
    ("unrelated", ("{p} helped {q}", "{q} was helped by {p}", "{p} lent {q} a hand")),
    ("unrelated", ("{p} thinks that {q} is lazy", "{q} is lazy in the eyes of {p}", "In {p}'s opinion {q} is lazy")),
    ("unrelated", ("{p} visited {q}", "{q} had a visit from {p}", "{p} called on {q}")),
    ("unrelated", ("{p} beat {q} at chess", "{q} lost at chess to {p}", "{p} won at chess against {q}")),
    ("same", ("{p} lives with {q}", "{p} and {q} live together", "{q} shares a home with {p}")),
    ("same", ("{p} is married to {q}", "{p} and {q} are married", "{p} is {q}'s spouse")),
    ("same", ("{p} and {q} are neighbours", "{p} lives next door to {q}", "{q} is a neighbour of {p}")),
    ("same", ("{p} is as old as {q}", "{p} and {q} are of one age", "{p} and {q} are the same age")),
)
# A deed done to pay for another one: the other way round it is another deed.
EXCHANGES = ("{S} sold {a} to buy {b}", "{S} gave {a} for {b}", "{S} swapped {a} for {b}", "{S} left {a} and went for {b}", "{S} paid for {b} with {a}")
