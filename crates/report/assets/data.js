// The page's data: the summary is parsed at once, an NPC when it is looked at.

const SUMMARY = JSON.parse(document.getElementById("summary").textContent);
const NPC_TEXTS = document.getElementsByClassName("npc");
let lastRead = { number: -1, npc: undefined };

/** One NPC in full. The last one is kept: readers go through the nights of one NPC one after the other. */
function npcOf(number) {
  if (lastRead.number !== number) {
    const npc = JSON.parse(NPC_TEXTS[number].textContent);
    lastRead = { number, npc: { ...npc, successors: supersessions(npc.nights) } };
  }
  return lastRead.npc;
}

/** A query as the page's JSON spells it, in which `<`, `>` and `&` are escaped. */
function asWritten(query) {
  const escape = (c) => `\\u00${c.charCodeAt(0).toString(16)}`;
  return JSON.stringify(query).slice(1, -1).replace(/[<>&]/g, escape).toLowerCase();
}

/** Texts of one NPC, each with its fate and, if it is superseded, what holds now. */
function textsOf({ nights }) {
  const successors = supersessions(nights);
  const written = new Set();
  const texts = nights.flatMap((night, n) => {
    const entry = ({ id, text }, fate, held = id) => {
      written.add(id);
      return { n, night: night.night, text, fate, now: holdsNow(successors, held) };
    };
    return [
      ...night.memories.map((memory) => entry(memory, memory.fate, entryOf(night, memory))),
      ...night.insights.map((insight) => entry(insight, "*")),
      ...night.told.map((told) => entry(told, "~")),
    ];
  });
  // Entries of nights before these, which these nights changed: as the last change leaves them.
  const older = new Map();
  nights.forEach((night, n) => {
    for (const { id, text, verb } of night.older.filter(({ id }) => !written.has(id))) {
      older.set(id, { n, night: night.night, text, fate: OLDER[verb].mark, name: OLDER[verb].name, now: holdsNow(successors, id) });
    }
  });
  return [...texts, ...older.values()];
}

/** Texts that contain a query: at most `most`. Only the JSON of NPCs in which it occurs is parsed. */
function searchAll(query, most) {
  const [needle, wanted] = [asWritten(query), query.toLowerCase()];
  const hits = [];
  let more = false;
  for (let number = 0; number < NPC_TEXTS.length && !more; number++) {
    if (!NPC_TEXTS[number].textContent.toLowerCase().includes(needle)) continue;
    for (const found of textsOf(JSON.parse(NPC_TEXTS[number].textContent))) {
      if (!found.text.toLowerCase().includes(wanted)) continue;
      if (hits.length < most) hits.push({ number, ...found });
      else more = true;
    }
  }
  return { hits, more };
}
