"""Vocabulary of the game world, its split into a training and a held-out part, and the fillers of slots.

Every fifth word of a list belongs to the part `held`, the others to `train`; the two share no
names, places or things. Numbers, days and seasons are common to both.
"""

from dataclasses import dataclass

from grammar import with_article

PARTS = ("train", "held")

MEN = """Aldo Bertil Cedric Dorn Edmar Faro Garrick Holt Ivo Jasper Kester Lothar Milo Ned Osric Perrin Quill Rufus
Silas Tobin Ulf Viktor Walt Yorick Anselm Barth Cuno Dietmar Emrys Falk Gunnar Hob Jory Klaus Leof Merek Nils Oswin
Piers Ragnar Stellan Theo Brom Hugo Tam Arne Odo Rolf Wat Finn Simon Gil Lorenz Ansgar Roderick""".split()

WOMEN = """Agnes Bettina Cecily Dagny Edda Freya Gisela Hilda Isolde Jutta Klara Linnea Maud Nessa Odila Petra Runa
Sigrid Thea Ursel Vera Wilma Ylva Alys Birgit Clover Dessa Elin Fenna Greta Hester Ida Joan Kirsten Lotte Marit Nora
Orla Pia Rosalind Sunniva Tilda Una Verity Willow Amabel Bridget Ingrid Mabel Rowena Tamsin
Elsa Judith Marla Senna""".split()

TITLES_M = ["Captain", "Sergeant", "Father", "Master", "Lord", "Brother", "Sir", "Old", "Baron", "Uncle"]
TITLES_F = ["Captain", "Sister", "Mistress", "Lady", "Dame", "Mother", "Old", "Baroness", "Widow", "Aunt"]

RANKS = ("Captain", "Sergeant", "Master", "Lord", "Sir", "Baron", "Lady", "Dame", "Mistress", "Baroness")

ROLES = """miller baker smith priest innkeeper tanner ferryman beekeeper potter weaver cooper mason carpenter
herbalist midwife cobbler brewer fletcher hunter shepherd chandler tailor fishmonger butcher scribe stablehand
gravedigger bailiff steward woodcutter apothecary jeweller thatcher cartwright glassblower swineherd""".split()

STRANGERS = ["the player", "the stranger", "the traveller", "the young mage", "the newcomer", "the old hermit",
             "the foreign knight", "the red-haired bard", "the one-eyed pilgrim", "the adventurer"]

KIN_M = ["my brother", "my father", "my uncle", "my cousin", "my nephew", "my grandfather", "my neighbour"]
KIN_F = ["my sister", "my mother", "my aunt", "my niece", "my grandmother", "my daughter"]

PLACES = [
    "at the mill", "at the forge", "at the inn", "at the chapel", "at the harbour", "at the north gate", "in the barn",
    "in the cellar", "at the old tower", "in the library", "at the market", "at the tannery", "at the quarry",
    "in the orchard", "at the lighthouse", "in the tavern", "at the bakery", "at the town hall", "in the stables",
    "at the sawmill", "in the guardhouse", "at the ferry landing", "in the chapel garden", "at the brewery",
    "at the hunting lodge", "in the pine wood", "at the shipyard", "in the great hall", "at the bathhouse",
    "at the watchtower", "in the herb garden", "at the old well", "in the vineyard", "at the crossroads",
    "in the courtyard", "at the monastery", "in the smokehouse", "at the pottery", "in the armoury", "in the granary",
]

TOWNS = """Ashmere Brackenford Coldwater Dunmoor Eastwick Fallowfield Greyharbour Highcliff Ironbridge Kingsholm
Larkhill Mossgate Northwold Oakhurst Pinewatch Quarrytown Redwater Saltmarsh Thornbury Umberley Valecross Westmark
Wyrmrest Yarrowdale Silverfall""".split()

THINGS = """ring|sword|lantern|dagger|book|necklace|shovel|hammer|bow|map|lute|flute|cloak|mirror|goblet|brooch|helmet|
shield|axe|amulet|saddle|kettle|candlestick|compass|spyglass|bracelet|music box|crossbow|chess set|drinking horn|
fishing rod|hunting knife|whetstone|satchel|drum|harp|inkwell|padlock|telescope|crown|staff|tankard|rope|anvil|
ledger|hourglass|spear|fiddle|cradle|seal""".replace("\n", "").split("|")

CONTAINERS = [
    "in the oak chest", "under the floorboards", "behind the altar", "in the hollow tree", "in the dry fountain",
    "under the bed", "in the hayloft", "behind the loose brick", "in the flour sack", "beneath the hearthstone",
    "in the crypt", "under the woodpile", "in the chimney", "in the rain barrel", "behind the tapestry",
    "in the clock case", "under the stairs", "in the beehive", "in the attic", "beneath the rose bush",
]

ROOMS = [
    "kitchen", "study", "guest room", "pantry", "workshop", "armoury", "chapel", "storeroom", "tower room",
    "wine cellar", "dining hall", "laundry", "schoolroom", "nursery", "library", "guardroom",
]

OPENINGS = [
    "north gate", "cellar door", "drawbridge", "city gate", "chapel door", "trapdoor", "harbour gate", "mill door",
    "tower door", "castle gate", "back door", "stable door", "portcullis", "vault door", "kitchen door", "west gate",
    "garden gate", "crypt door", "barn door", "iron hatch",
]

ROUTES = [
    "mountain pass", "coast road", "old bridge", "river ford", "forest path", "king's road", "north road",
    "mine tunnel", "stone bridge", "marsh track", "hill road", "canal", "rope bridge", "harbour channel", "east road",
]

SHOPS = [
    "bakery", "smithy", "apothecary's shop", "fishmonger's", "wine shop", "tailor's shop", "butcher's shop",
    "jeweller's shop", "market hall", "guest house", "bathhouse", "bookshop", "candle shop", "tea house",
    "cobbler's shop",
]

BUILDINGS = [
    "mill", "bridge", "clock tower", "chapel", "granary", "barn", "town wall", "observatory", "guildhall", "boathouse",
    "bathhouse", "school", "bell tower", "forge", "dovecote", "aqueduct", "palisade", "cider mill", "greenhouse",
    "hospital",
]

WARES = """salt|flour|honey|wool|lamp oil|iron|leather|barley|cheese|wine|ale|candle wax|silk|pepper|timber|charcoal|
rope|smoked fish|butter|hay|linen|marble|tea|tar|oats""".replace("\n", "").split("|")

LIQUIDS = ["cider", "vinegar", "beer", "fish oil", "ink", "mead", "rainwater", "syrup", "milk", "plum brandy"]
CROPS = ["barley", "wheat", "turnip", "rye", "cabbage", "oat", "bean", "hop", "flax", "pumpkin"]
STORES = ["grain", "firewood", "salted meat", "apples", "oil", "flour", "cider", "straw", "dried fish", "arrows"]
HERDS = ["sheep", "goats", "cows", "pigs", "geese", "hens", "horses", "bees", "oxen", "ducks"]
ANIMALS = ["grey mare", "black dog", "brown goat", "old mule", "white horse", "hunting hound", "red cow", "tabby cat",
           "falcon", "stallion", "pony", "raven", "donkey", "spotted pig", "young ox", "greyhound"]
MONSTERS = ["dragon", "troll", "wolf pack", "bandit chief", "ghost", "giant spider", "werewolf", "swamp witch",
            "griffin", "ogre", "sea serpent", "necromancer", "goblin king", "basilisk", "vampire"]
COLOURS = ["red", "blue", "green", "white", "black", "yellow", "grey", "purple", "brown", "orange"]
PAINTED = ["barn", "garden fence", "front door", "shop sign", "boat", "wagon", "town hall", "royal banner",
           "chapel roof", "shutter", "well cover", "cloak of the mayor", "guard tower", "market tent", "windmill"]
MATERIALS = ["silver", "gold", "bronze", "iron", "copper", "brass", "steel", "tin", "pewter", "bone"]
METALWARE = ["ring", "platter", "diadem", "talisman", "key", "bell", "statue", "candlestick", "signet", "mask",
             "brooch", "chalice", "medallion", "buckle", "idol"]
FACTIONS = [
    "the Iron Guild", "the Thieves' Guild", "the royal guard", "the Grey Brotherhood", "the Red Company",
    "the mages' circle", "the merchants' league", "the Order of the Lamp", "the city watch", "the rebels",
    "the Wolf Clan", "the Temple of Dawn", "the Black Hand", "the river pirates", "the Masons' Guild",
]
RULERS = ["the king", "the queen", "the duke", "the baron", "the governor", "the high priest", "the council",
          "the empress", "the regent", "the countess"]
OFFICES = ["captain of the guard", "mayor", "steward of the castle", "harbour master", "head of the guild",
           "court mage", "tax collector", "village elder", "treasurer", "royal envoy", "master of the hunt",
           "keeper of the keys", "quartermaster", "judge", "abbot"]
JOBS = ["cook", "guard", "stable hand", "clerk", "gardener", "messenger", "blacksmith's apprentice", "barmaid",
        "fisherman", "porter", "bookkeeper", "night watchman", "teacher", "coachman", "miner"]
ILLNESSES = ["fever", "marsh cough", "grey pox", "stomach flu", "sweating sickness", "red rash", "lung rot",
             "plague", "winter chill", "sleeping sickness"]
WOUNDS = ["leg", "arm", "wrist", "ankle", "shoulder", "collarbone", "hand", "nose", "foot", "jaw"]
CRIMES = [
    "setting fire to the barn", "robbing the tax wagon", "poisoning the well", "stealing the chapel silver",
    "murdering the steward", "forging the duke's seal", "selling secrets to the enemy", "smuggling weapons",
    "freeing the prisoners", "sabotaging the bridge", "poaching the king's deer", "cursing the mill",
    "bribing the judge", "desecrating the graves", "wrecking the lighthouse lamp",
]
EVENTS = ["harvest feast", "council meeting", "archery contest", "trial", "winter market", "wedding", "royal visit",
          "horse fair", "town meeting", "midsummer dance", "guild dinner", "sword tournament", "coronation",
          "boat race", "spring festival"]
CONTESTS = ["wrestling match", "horse race", "singing contest", "pie contest", "riddle contest", "chess tournament",
            "log-rolling contest", "foot race", "stone-throwing contest", "ploughing match"]
SUBJECTS = ["herbs", "swordplay", "reading", "archery", "music", "law", "alchemy", "fishing", "riding", "painting",
            "cooking", "sailing", "dancing", "carving", "beekeeping"]
DISHES = ["mushroom stew", "apple pie", "roast goose", "rye bread", "fish soup", "honey cake", "goat cheese",
          "pea soup", "plum pudding", "smoked trout", "onion tart", "lamb pie", "blackberry jam", "dumplings",
          "porridge"]
ERRANDS = [
    "mend the roof|<mended> the roof", "deliver the letter|<delivered> the letter", "clean the well|<cleaned> the well",
    "repair the fence|<repaired> the fence", "bring the medicine|<brought> the medicine",
    "find the lost goat|<found> the lost goat", "guard the caravan|<guarded> the caravan",
    "sharpen the ploughs|<sharpened> the ploughs", "fetch the healer|<fetched> the healer",
    "dig the new well|<dug> the new well", "chop the winter wood|<chopped> the winter wood",
    "copy the old charter|<copied> the old charter", "sweep the chimney|<swept> the chimney",
    "teach the children|<taught> the children", "water the garden|<watered> the garden",
    "escort the envoy|<escorted> the envoy", "paint the shutters|<painted> the shutters",
    "carry the grain to town|<carried> the grain to town", "search the ruins|<searched> the ruins",
    "test the new bridge|<tested> the new bridge",
]
SECRETS = [
    "the tunnel under the chapel", "the duke's bastard son", "the false bottom of the chest", "the hidden gold mine",
    "the plot against the queen", "the recipe of the red dye", "the smugglers' landing place",
    "the true heir of the throne", "the poison in the wine", "the map of the crypt",
    "the weak spot in the wall", "the spy in the council", "the password of the guild", "the grave of the old king",
    "the forged will",
]
RUMOURS = [
    "a dragon <sleeps> under the hill", "the miller <waters> his ale", "the queen <is> coming to town",
    "the bridge <is> haunted", "wolves <have> come down from the hills", "the old mine <holds> gold",
    "the tax <will> be doubled", "the abbot <drinks>", "a treasure <lies> in the lake", "the well <is> cursed",
    "pirates <are> landing on the coast", "the mayor <gambles>", "the mill <will> be sold", "the duke <has> gone mad",
    "an army <is> gathering in the north",
]
PROJECTS = ["the billing service", "the search page", "the mobile app", "the login form", "the payroll report",
            "the new website", "the data pipeline", "the chat bot", "the map editor", "the audio mixer"]
MEETINGS = ["dentist appointment", "team meeting", "budget review", "piano lesson", "job interview", "book club",
            "parents' evening", "yoga class", "project demo", "board meeting", "haircut appointment", "staff lunch",
            "driving lesson", "design review", "choir practice"]
QUALITIES = [
    "guarded|unguarded", "safe|dangerous", "crowded|deserted", "haunted|free of ghosts", "open to all|for nobles only",
    "solid|rickety", "dry|flooded", "famous|forgotten", "well lit|pitch dark", "for sale|not for sale",
]
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
SEASONS = ["spring", "summer", "autumn", "winter"]
NUMBER_WORDS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty""".split()


def number_word(number):
    """The number in words, for numbers below a hundred."""
    if number <= 20:
        return NUMBER_WORDS[number]
    tens = {2: "twenty", 3: "thirty", 4: "forty", 5: "fifty", 6: "sixty", 7: "seventy", 8: "eighty", 9: "ninety"}
    word = tens[number // 10]
    return word if number % 10 == 0 else f"{word}-{NUMBER_WORDS[number % 10]}"


def belongs(index, part):
    """True if the entry at `index` of a list belongs to the part."""
    return (index % 5 == 4) == (part == "held")


def share(entries, part):
    """Entries of a list that belong to the part."""
    return [entry for index, entry in enumerate(entries) if belongs(index, part)]


@dataclass(frozen=True)
class Person:
    """A person: a name or a phrase, and the gender of the pronouns (`m`, `f`, `n` for they, `I`)."""

    name: str
    gender: str

    def form(self, form):
        """The person as subject (`""`), object `o`, possessive `p`, or a pronoun `h` (he), `m` (him), `s` (his)."""
        if self.gender == "I":
            return {"": "I", "o": "me", "p": "my", "h": "I", "m": "me", "s": "my"}[form]
        if form in ("", "o"):
            return self.name
        if form == "p":
            return self.name + "'s"
        pronouns = {"m": ("he", "him", "his"), "f": ("she", "her", "her"), "n": ("they", "them", "their")}
        return dict(zip(("h", "m", "s"), pronouns[self.gender]))[form]

    def short(self):
        """The person without a title of rank, as one who has been named before."""
        title, _, name = self.name.partition(" ")
        return Person(name, self.gender) if title in RANKS else self


@dataclass(frozen=True)
class Noun:
    """A thing named by a common noun: `the ring`, `n` ring, `a` a ring."""

    noun: str

    def form(self, form):
        return {"": "the " + self.noun, "n": self.noun, "a": with_article(self.noun)}[form]


@dataclass(frozen=True)
class Place:
    """A place with its preposition: `the mill`, `at` at the mill, `to` to the mill, `from` from the mill."""

    phrase: str

    def form(self, form):
        preposition, name = self.phrase.split(" ", 1)
        if form in ("at", "to", "from"):
            return self.phrase if form == "at" else f"{form} {name}"
        return {"": name, "n": name.removeprefix("the ")}[form]


@dataclass(frozen=True)
class Words:
    """A fixed phrase; a second phrase after `|` is its form `done`."""

    words: str

    def form(self, form):
        first, _, second = self.words.partition("|")
        return {"": first, "done": second}[form]


@dataclass(frozen=True)
class Number:
    """A number above one, written in digits or (`w`) in words."""

    number: int

    def form(self, form):
        return number_word(self.number) if form == "w" else str(self.number)


I = Person("I", "I")

LISTS = {
    "thing": (Noun, THINGS), "room": (Noun, ROOMS), "opening": (Noun, OPENINGS), "route": (Noun, ROUTES),
    "shop": (Noun, SHOPS), "building": (Noun, BUILDINGS), "animal": (Noun, ANIMALS), "monster": (Noun, MONSTERS),
    "painted": (Noun, PAINTED), "metalware": (Noun, METALWARE), "event": (Noun, EVENTS), "meeting": (Noun, MEETINGS),
    "place": (Place, PLACES), "town": (Place, ["in " + town for town in TOWNS]), "spot": (Place, CONTAINERS),
    "ware": (Words, WARES), "crop": (Words, CROPS), "store": (Words, STORES), "herd": (Words, HERDS),
    "colour": (Words, COLOURS), "material": (Words, MATERIALS), "faction": (Words, FACTIONS),
    "ruler": (Words, RULERS), "office": (Words, OFFICES), "job": (Words, JOBS), "illness": (Words, ILLNESSES),
    "wound": (Words, WOUNDS), "crime": (Words, CRIMES), "subject": (Words, SUBJECTS), "dish": (Words, DISHES),
    "errand": (Words, ERRANDS), "secret": (Words, SECRETS), "rumour": (Words, RUMOURS), "project": (Words, PROJECTS),
    "liquid": (Words, LIQUIDS), "contest": (Noun, CONTESTS),
    "quality": (Words, QUALITIES),
}
COMMON_LISTS = {"weekday": (Words, WEEKDAYS), "season": (Words, SEASONS)}
NUMBERS = {"few": (2, 12), "many": (12, 60), "amount": (2, 30), "hour": (2, 11), "version": (2, 9)}


class World:
    """Source of slot fillers for one part of the vocabulary."""

    def __init__(self, part, rng):
        self.rng = rng
        self.men, self.women = share(MEN, part), share(WOMEN, part)
        self.titles = {"m": share(TITLES_M, part), "f": share(TITLES_F, part)}
        self.kin = {"m": share(KIN_M, part), "f": share(KIN_F, part)}
        self.roles, self.strangers = share(ROLES, part), share(STRANGERS, part)
        self.lists = {kind: [make(word) for word in share(words, part)] for kind, (make, words) in LISTS.items()}
        self.lists |= {kind: [make(word) for word in words] for kind, (make, words) in COMMON_LISTS.items()}

    def filler(self, kind):
        """A random filler of a slot: `person` may be *I*, `other`, `man` and `woman` never."""
        if kind == "person":
            return I if self.rng.random() < 0.33 else self.person()
        if kind in ("other", "man", "woman"):
            return self.person({"man": "m", "woman": "f"}.get(kind))
        if kind in NUMBERS:
            return Number(self.rng.randint(*NUMBERS[kind]))
        return self.rng.choice(self.lists[kind])

    def person(self, gender=None):
        """A person other than *I*: a name, with a title or without, or a trade, a stranger or a relative.

        Where the gender is given, for husbands, wives and fathers, there are only names.
        """
        rng = self.rng
        chance = rng.random()
        if gender is None and chance < 0.14:
            role = rng.choice(self.roles)
            return Person("the " + role, "f" if role == "midwife" else rng.choice("mf"))
        if gender is None and chance < 0.22:
            return Person(rng.choice(self.strangers), "n")
        free = gender is None
        gender = gender or rng.choice("mf")
        if free and chance < 0.30:
            return Person(rng.choice(self.kin[gender]), gender)
        name = rng.choice(self.men if gender == "m" else self.women)
        if chance < 0.42:
            name = f"{rng.choice(self.titles[gender])} {name}"
        return Person(name, gender)
