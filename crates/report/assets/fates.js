// Fates of memories. A fate is shown by a mark, a name and a shape or pattern; colour only repeats them.

/** In the order in which the data counts them. */
const FATES = [
  { mark: "+", name: "kept word for word", short: "kept", colour: "kept", symbol: "circle" },
  { mark: "~", name: "became part of a synthesis", short: "in a synthesis", colour: "told", symbol: "diamond" },
  { mark: "=", name: "corroborated an entry", short: "corroborated", colour: "known", symbol: "rect" },
  { mark: "?", name: "kept, contested with another entry", short: "contested", colour: "contested", symbol: "arrow" },
  { mark: "!", name: "superseded", short: "superseded", colour: "replaced", symbol: "triangle" },
  { mark: "&", name: "repeats another", short: "repeats", colour: "repeat", symbol: "pin", pattern: "hatched" },
  { mark: "-", name: "pruned", short: "pruned", colour: "gone", symbol: "circle", pattern: "hollow" },
];
const FATE_OF = new Map(FATES.map((fate) => [fate.mark, fate]));

/** Changes to older entries, by the verb of the change. */
const OLDER = {
  corroborate: { mark: "=", name: "corroborated" },
  strengthen: { mark: "=", name: "corroborated: the same insight was drawn again" },
  chunk: { mark: "~", name: "summarised with similar entries" },
  contest: { mark: "?", name: "contested" },
  end: { mark: "/", name: "ended in part" },
  supersede: { mark: "!", name: "superseded" },
  collapse: { mark: "&", name: "status lines collapsed into one" },
  archive: { mark: "-", name: "archived" },
  forget: { mark: "-", name: "forgotten" },
  restore: { mark: "+", name: "restored" },
};

/** Reasons in plain words, by the rule that decided. */
const RULES = {
  "exact-repeat": "The same words came before that day",
  "status-repeat": "Another reading of the same status is kept for it",
  blank: "The text is blank",
  pinned: "The game pinned it",
  important: "Important: its words are never lost",
  "already-known": "Long-term memory holds it already",
  "changes-belief": "Contradicts an older belief",
  similar: "Much like the others of its synthesis",
  "over-budget-cohesive": "Its theme is over budget and coherent",
  "unimportant-loose": "Unimportant, in an incoherent theme",
  "over-budget": "Its theme is over budget, and others say more",
  condensed: "A paragraph, condensed already",
  flood: "One of many that say the same in other combinations",
  "over-distinct": "More memories than a night may hold, and others were taken first",
  "within-budget": "Within its theme’s budget",
  "cohesive-cluster": "Drawn from a coherent theme",
  "concluded": "Concluded from several memories",
  "drawn-again": "Drawn again from other memories",
  contradicted: "Contradicted by something newer",
  contested: "Contradicted by something less well founded; both are kept",
  ended: "Something newer ends a part of it; the rest is kept",
  settled: "Somebody decided between contested entries",
  capped: "Newer insights on the same subject are enough",
  restored: "Restored on request",
  recalled: "Came faintly to mind",
  "said-again": "Archived on an earlier night, and said again",
  declined: "A reviewer of the plan declined another change to it",
  abstracted: "Old and unimportant: summarised with similar entries",
  faded: "Faded below the strength that is remembered",
  "over-most": "One of the weakest of more entries than may be active",
};

/** The rule in words, then the values that it compared. */
function because([rule, looked]) {
  if (!rule) return "";
  return looked ? `${RULES[rule] ?? rule} (${looked})` : (RULES[rule] ?? rule);
}

/** A fate's mark in its colour, and its name for screen readers. */
function mark(sign, name = FATE_OF.get(sign)?.name) {
  return el("span", { class: "markof fate", "data-fate": sign, title: name }, el("span", { "aria-hidden": "true" }, sign), name && unseen(name));
}

/** A fate's fill in charts, opaque: no line of a grid shows through. */
function fillOf(fate) {
  const [tone, card] = [colour(fate.colour), colour("card")];
  if (fate.pattern === "hollow") return { color: card, borderColor: tone, borderWidth: 1.5 };
  if (fate.pattern === "hatched") return { color: card, borderColor: tone, borderWidth: 1, decal: { symbol: "rect", dashArrayX: [1, 0], dashArrayY: [2, 3], rotation: -Math.PI / 4, color: tone } };
  return { color: tone };
}

/** Shares of fates as one strip. */
function strip(counts, tall) {
  const total = counts.reduce((sum, n) => sum + n, 0);
  const told = FATES.map((fate, i) => counts[i] && `${counts[i]} ${fate.short}`).filter(Boolean).join(", ");
  const made = el("div", { class: tall ? "strip tall" : "strip", role: "img", "aria-label": total ? told : "no memories", title: told });
  FATES.forEach((fate, i) => {
    if (counts[i] === 0) return;
    const part = el("i", { class: "fill", "data-fate": fate.mark });
    part.style.flexGrow = counts[i];
    made.append(part);
  });
  return made;
}

/** The legend: fill, mark and name of each fate, with its number of memories. */
function key(counts) {
  return el("ul", { class: "key" }, FATES.map((fate, i) => counts[i] > 0 && el("li", {}, el("span", { class: "fill swatch", "data-fate": fate.mark }), mark(fate.mark, ""), `${fate.name} `, el("span", { class: "faint" }, counts[i].toLocaleString("en")))));
}
