// The page's data: the summary is read at once, an NPC when it is looked at.

const SUMMARY = JSON.parse(document.getElementById("summary").textContent);
const NPC_TEXTS = document.getElementsByClassName("npc");
let lastRead = { number: -1, npc: undefined };

/** One NPC whole. The last one is kept: nights of one NPC are looked at one after the other. */
function npcOf(number) {
  if (lastRead.number !== number) lastRead = { number, npc: JSON.parse(NPC_TEXTS[number].textContent) };
  return lastRead.npc;
}

/** A query as it stands in the page's JSON, where `<`, `>` and `&` are escaped. */
function asWritten(query) {
  const escape = (c) => `\\u00${c.charCodeAt(0).toString(16)}`;
  return JSON.stringify(query).slice(1, -1).replace(/[<>&]/g, escape).toLowerCase();
}

/** What holds a query: at most `most` texts. Only the JSON of NPCs that have it somewhere is read. */
function searchAll(query, most) {
  const [needle, wanted] = [asWritten(query), query.toLowerCase()];
  const hits = [];
  let more = false;
  for (let number = 0; number < NPC_TEXTS.length && !more; number++) {
    if (!NPC_TEXTS[number].textContent.toLowerCase().includes(needle)) continue;
    JSON.parse(NPC_TEXTS[number].textContent).nights.forEach((night, n) => {
      const texts = [
        ...night.memories.map(({ text, fate }) => ({ text, fate })),
        ...night.insights.map(({ text }) => ({ text, fate: "*" })),
        ...night.told.map(({ text }) => ({ text, fate: "~" })),
      ];
      for (const { text, fate } of texts.filter(({ text }) => text.toLowerCase().includes(wanted))) {
        if (hits.length < most) hits.push({ number, n, night: night.night, text, fate });
        else more = true;
      }
    });
  }
  return { hits, more };
}
