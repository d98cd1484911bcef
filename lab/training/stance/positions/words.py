"""Vocabulary of the pairs of positions: people, places and things of seven settings.

Every list is cut in two parts that share nothing: `train`, and `held-out` for measuring alone. So are the wordings of each statement.
"""
import math

PARTS = ("train", "held-out")
# One entry of a list in so many is held out.
HELD_OUT_SHARE = 4


def listed(text):
    """Entries of a list written with commas."""
    return tuple(entry.strip() for entry in text.split(",") if entry.strip())


def of_part(entries, part):
    """Entries of a list that a part may use."""
    held = [entry for place, entry in enumerate(entries) if place % HELD_OUT_SHARE == HELD_OUT_SHARE - 1]
    return held if part == "held-out" else [entry for entry in entries if entry not in held]


def wordings_of_part(wordings, part):
    """Wordings that a part may use: the last third is held out."""
    cut = len(wordings) - math.ceil(len(wordings) / 3)
    return wordings[cut:] if part == "held-out" or cut == 0 else wordings[:cut]


WOMEN = listed("""Alda, Brina, Cilla, Dessa, Sunna, Fenna, Gudrun, Hilde, Iris, Jorun, Kesta, Lisbet, Mirel, Nadja, Odile, Petra, Runa, Sanna, Thora,
    Ursel, Vesna, Walda, Xanthe, Yara, Zelda, Anneke, Beatriz, Chiara, Dagny, Esme, Freya, Greta, Hedda, Inga, Jutta, Kaia, Leonor, Maren, Noor, Olwen,
    Priya, Rosalind, Solveig, Tilda, Una, Vera, Wilma, Yuki, Amina, Birgit, Carmen, Delphine, Eun-ji, Farah, Gwen, Harriet, Ilse, Joan, Katya, Lucia""")
MEN = listed("""Alder, Bertil, Cato, Dirk, Edric, Falk, Garo, Henrik, Ivar, Joss, Kurt, Lothar, Milo, Nils, Orlan, Pell, Quill, Rurik, Silas, Tobin,
    Ulric, Volker, Wat, Xaver, Yorick, Zoltan, Anselm, Bram, Corin, Diego, Emeric, Finn, Gunnar, Hugo, Ingram, Jasper, Klaus, Leif, Magnus, Nestor, Osk,
    Pavel, Quentin, Rashid, Sven, Tarek, Umberto, Viggo, Wendel, Yusuf, Amadou, Boris, Cyril, Dmitri, Elias, Fabio, Gregor, Hamish, Idris, Jerome""")
SURNAMES = listed("""Ashdown, Barrow, Caske, Dunmore, Eller, Fenwick, Gorse, Hallam, Inkpen, Jessop, Kettle, Lindqvist, Marsh, Novak, Okafor, Pryce,
    Quist, Rowntree, Sato, Thorne, Underhill, Vance, Whitlock, Yates, Zeller, Abara, Brandt, Castellan, Drury, Egerton, Farrow, Gale, Holt, Ivanov, Kerr,
    Lund, Mercer, Nkemi, Orsini, Pike""")
KIN = (("my sister", "f"), ("my brother", "m"), ("my aunt", "f"), ("my uncle", "m"), ("my cousin", "f"), ("my mother", "f"), ("my father", "m"),
       ("my daughter", "f"), ("my son", "m"), ("my neighbour", "m"), ("my niece", "f"), ("my grandmother", "f"), ("my nephew", "m"),
       ("my old teacher", "m"), ("my landlady", "f"))

# Lists of each setting. A home or place begins with its preposition, so that the place alone is what follows it.
SETTINGS = {
    "village": {
        "people": "the miller, the priest, the midwife, the blacksmith, the widow, the reeve, the shepherd, the innkeeper's wife, the beekeeper, the old hermit",
        "trades": "a cooper, a weaver, a potter, a tanner, a shepherd, a butcher, a thatcher, a midwife, a brewer, a ferryman, a carter, a wheelwright, a charcoal burner, a saddler, an apothecary",
        "places": "at the mill, in Westbrook, at the hill farm, by the old bridge, in Tanner's Row, behind the church, in Eastmere, at the inn, near the quarry, in Oakhollow, on the green, above the bakery",
        "things": "brass lamp, silver ring, plough, grey mule, hay cart, fiddle, brindled cow, copper kettle, spinning wheel, beehive, whetstone, axe, oak chest, clay jug, wool cloak",
        "offices": "the reeve, the churchwarden, the head of the council, the keeper of the mill, the parish clerk",
        "doors": "the inn, the barn, the village gate, the bakery, the smithy, the church, the mill",
        "machines": "the mill wheel, the well pump, the church bell, the bridge, the oven, the sluice",
        "employers": "the miller, the abbot, the reeve, Farmer Dole, the squire, the brewer",
        "groups": "the choir, the weavers' guild, the village watch, the burial club, the hedgers' company",
        "occasions": "market day, the harvest feast, the village meeting, the sheep fair, the church fair",
        "money": "silver, coppers, pennies, shillings",
    },
    "castle": {
        "people": "the king, the queen, the steward, the cook, the duke, the master-at-arms, the chaplain, the jester, the princess, the old nurse",
        "trades": "a squire, a falconer, an armourer, a herald, a scribe, a fletcher, a groom, a page, a gaoler, a minstrel, a chamberlain, a mason",
        "places": "in the east tower, in the gatehouse, above the stables, in the great hall, at the barracks, in the lower ward, in the west wing, at the hunting lodge, in the dungeon, in the chapel",
        "things": "golden goblet, longsword, tapestry, falcon, signet ring, war banner, white charger, jewelled dagger, crown, lute, shield, map of the marches",
        "offices": "the captain of the guard, the steward, the lord chancellor, the keeper of the keys, the champion, the court physician",
        "doors": "the postern gate, the armoury, the treasury, the chapel, the drawbridge gate, the kitchen door",
        "machines": "the portcullis, the great clock, the catapult, the drawbridge, the well winch, the north wall",
        "employers": "the duke, the queen, the steward, Lady Orla, the bishop, the constable",
        "groups": "the royal guard, the order of the heron, the privy council, the queen's archers, the hunt",
        "occasions": "the coronation, the tournament, the council of war, the royal wedding, the hunt",
        "money": "crowns, ducats, marks, florins",
    },
    "ship": {
        "people": "the helmsman, the cook, the first mate, the surgeon, the cabin boy, the bosun, the gunner, the stowaway, the harbour master",
        "trades": "a sailmaker, a gunner, a carpenter, a pilot, a cook, a whaler, a smuggler, a purser, a rigger, a fisherman, a shipwright",
        "places": "in the forecastle, in the harbour town, on the quarterdeck, at the dockside, in the hold, at the chandler's, in Port Merrow, in the cabin aft, on Gull Island, at the sailors' home",
        "things": "sextant, sea chest, parrot, telescope, anchor chain, hammock, rum barrel, compass, longboat, oilskin coat, chart of the reefs",
        "offices": "the captain, the first mate, the ship's surgeon, the quartermaster, the harbour master, the pilot",
        "doors": "the powder room, the main hatch, the galley, the harbour, the customs house, the chart room",
        "machines": "the bilge pump, the rudder, the capstan, the foremast, the lantern at the stern, the winch",
        "employers": "the shipping company, the harbour master, the captain, Merchant Voss, the admiralty",
        "groups": "the crew of the Heron, the pilots' brotherhood, the first watch, the dockers' union, the mutineers",
        "occasions": "the departure, the payday, the inspection, the regatta, the drill",
        "money": "doubloons, guineas, pieces of eight, reals",
    },
    "station": {
        "people": "the engineer, the medic, the commander, the botanist, the quartermaster, the pilot, the cargo master, the inspector",
        "trades": "a welder, a pilot, a hydroponics technician, a medic, a dock worker, a navigator, a systems engineer, a miner, a trader, a security officer",
        "places": "on Deck Four, in the hydroponics bay, in Ring C, at the docking arm, in cabin nine, in the reactor section, on the lower deck, in the trade hub, at the observatory, in the med bay",
        "things": "plasma cutter, space suit, drone, data slate, cargo crate, spare battery, toolbox, shuttle, access card, oxygen tank, sample case",
        "offices": "the station commander, the chief engineer, the head of security, the medical officer, the dock master",
        "doors": "the outer airlock, the canteen, the cargo bay, Hatch Seven, the gym, the armoury",
        "machines": "the water recycler, the lift, the main reactor, the long-range antenna, the oxygen generator, the cargo crane",
        "employers": "the mining company, the commander, Orbital Freight, the research council, the dock master",
        "groups": "the night shift, the repair crew, the miners' union, the survey team, the station council",
        "occasions": "the supply run, the safety drill, the crew meeting, the inspection, the launch",
        "money": "credits, chits, marks, tokens",
    },
    "town": {
        "people": "the mayor, the baker, the librarian, the bus driver, the plumber, the vet, the chemist, the florist, the judge, the postman",
        "trades": "a nurse, a plumber, a teacher, a taxi driver, a baker, an electrician, a hairdresser, a journalist, a florist, a mechanic, a waiter, a vet, a photographer, a lawyer",
        "places": "in Mill Lane, on the fourth floor, above the pharmacy, in the old town, at the station hotel, near the park, in Bridge Street, on the west side, in Lisbon, at the lake, in the new flats",
        "things": "red bicycle, laptop, grand piano, leather jacket, camper van, camera, garden shed, phone, sofa, motorbike, umbrella, cat basket",
        "offices": "the mayor, the head of the library, the chief of police, the chair of the tenants' association, the editor of the paper",
        "doors": "the swimming pool, the corner shop, the car park, the museum, the underpass, the post office",
        "machines": "the lift, the heating, the traffic light, the ticket machine, the dishwasher, the fountain",
        "employers": "the council, the hospital, the bakery, Novak and Sons, the bus company, the newspaper",
        "groups": "the chess club, the football team, the reading circle, the volunteer fire brigade, the tenants' association",
        "occasions": "the street market, the council meeting, the concert, the flea market, the parade",
        "money": "euros, pounds, dollars, francs",
    },
    "office": {
        "people": "the accountant, the receptionist, the intern, the new boss, the head of sales, the cleaner, the designer, the auditor",
        "trades": "an accountant, a designer, a programmer, a lawyer, a translator, an auditor, a salesman, a consultant, an architect, a secretary",
        "places": "in the Berlin office, on the second floor, in the meeting room, in the annex, at the head office, in room twelve, in the basement archive, at the branch in Leeds",
        "things": "projector, company car, coffee machine, desk lamp, filing cabinet, printer, whiteboard, server, office chair, contract folder",
        "offices": "the head of sales, the managing director, the team lead, the chair of the board, the works council's speaker, the office manager",
        "doors": "the canteen, the archive, the car park, the server room, the side entrance, the meeting room",
        "machines": "the printer, the server, the coffee machine, the air conditioning, the phone line, the badge reader",
        "employers": "the tax firm, Hallam and Pryce, the ministry, a start-up in Leeds, the insurance company",
        "groups": "the works council, the design team, the sales department, the board, the running club",
        "occasions": "the staff meeting, the release, the summer party, the job interview, the audit",
        "money": "euros, dollars, pounds, francs",
    },
    "school": {
        "people": "the headmistress, the caretaker, the maths teacher, the new pupil, the librarian, the drama teacher, the school nurse, the coach",
        "trades": "a maths teacher, a caretaker, a music teacher, a tutor, a coach, a school nurse, a librarian, a lecturer, a lab assistant",
        "places": "in room seven, in the west dormitory, at the boathouse, in the music wing, in the gym, in the library annex, at the teachers' house, in the art room, on campus",
        "things": "trumpet, microscope, exercise book, chess set, skateboard, locker key, calculator, rucksack, class hamster, telescope",
        "offices": "the head of the school, the class president, the team captain, the head of the drama club, the prefect of the house",
        "doors": "the library, the gym, the computer room, the pool, the side gate, the canteen",
        "machines": "the school bell, the projector, the copier, the boiler, the lab printer, the minibus",
        "employers": "the school board, the university, the headmistress, the sports academy, the ministry",
        "groups": "the drama club, the rowing team, the school band, the debating society, the pupils' council",
        "occasions": "the maths exam, the school play, sports day, the parents' evening, the field trip",
        "money": "pounds, dollars, euros, tokens",
    },
}

# Lists of every setting.
COMMON = {name: listed(text) for name, text in {
    "ages": "nineteen, twenty-six, thirty-four, forty-one, fifty, sixty-three, seventeen, twenty-two, thirty-eight, forty-seven, fifty-five, seventy",
    "colours": "red, green, blue, white, black, grey, yellow, brown, purple, orange",
    "hair": "red, black, white, fair, brown, grey, auburn, silver, dark, sandy",
    "eyes": "green, brown, grey, blue, hazel, dark, amber, pale",
    "materials": "oak, iron, glass, brass, bone, silver, tin, clay, pine, steel",
    "days": "Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday, the first of the month, the tenth, the twentieth, the fifteenth",
    "numbers": "two, three, four, five, six, seven, eight, nine, ten, twelve, fifteen, eighteen, twenty, thirty, forty, sixty, a hundred, 14, 25, 36, 50, 75, 120, 250",
    "foods": "honey, plum brandy, fish soup, ale, tea, black coffee, cheese, cider, garlic, porridge, apple cake, strawberries, red wine, goat's milk, mushrooms, ginger, rye bread, noodles, lentils, chocolate",
    "pastimes": "dancing, old songs, dice, fishing, card games, chess, long walks, riding, gardening, ghost stories, swimming, painting, crosswords, cooking, archery, wrestling, carving, birdwatching",
    "creatures": "cats, dogs, horses, goats, crows, geese, spiders, bees, owls, rats",
    "fears": "deep water, thunder, wolves, the dark, fire, heights, spiders, snakes, crowds, needles, ghosts, being alone",
    "skills": "read, swim, set bones, pick locks, play the flute, ride, sail, speak Latin, sew, drive, juggle, cook, repair clocks, sing, speak the northern tongue, type, dance, ski, play the organ, tell fortunes",
    "belongings": "a grey mule, a silver ring, two goats, a fiddle, a fishing boat, a good knife, a dog, a garden, a bicycle, a telescope, a vineyard, a pocket watch, a cat, a piano, a motorbike, a shotgun, a lute, three hens, a canoe, a tent",
    "kin": "three sons, a sister in the south, no brothers, twin daughters, an old father, five grandchildren, a cousin at court, a half-brother, a nephew overseas, two stepsons",
    "ills": "fever, the cough, a bad back, the flu, gout, pneumonia, a stomach complaint, the pox, migraine, a broken arm",
    "moods": "cheerful, furious, downcast, in high spirits, worried, bored, homesick, tired, restless, in a foul temper, full of hope, jealous",
    "faiths": "the river god, the Lady of Lamps, the old stones, Saint Brice, the sun, the Nameless One, the sea mother, the twin moons",
    "towns": "Northgate, Hallin, Merrow, Leeds, Tarn, Kestrel Bay, Oslo, Vael, Dunholm, Porto, Isker, Bruges, Lowfield, Quebec",
    "plans": "sell the house, buy a boat, learn to read, open a shop, go to sea, marry in spring, plant an orchard, move to the coast, write a book, quit the job, build a shed, study law, visit the capital, keep bees, run for the council, dye the curtains, adopt a dog, take the early train",
    "promises": "mend the roof, bring the medicine, lend me the cart, teach me to swim, come to the wedding, keep the secret, write every week, pay for the window, guard the door, fetch the doctor, water the plants, call the landlord, send the parts, return the book",
    "traits": "brave, patient, stingy, honest, clever, lazy, proud, gentle, short-tempered, shy, tall, left-handed, bald, freckled, thin, loud, generous, superstitious",
    "wear": "a green scarf, a wide hat, spectacles, a gold earring, heavy boots, a grey coat, a beard, a plait, a leather apron, rings on every finger",
    "passwords": "nightjar, marigold, thistle, copper, seven bells, blue heron, winter wheat, lantern, quicksilver, ash",
    "crimes": "thief, spy, murderer, informer, poisoner, arsonist, traitor, saboteur, forger, cheat",
    "deaths": "of the fever, in the fire, in her sleep, at sea, of old age, in a fall, in the war, of a bad heart, in the flood, on the road",
}.items()}
