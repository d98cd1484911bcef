// What becomes of a memory. A fate is told by a mark, a name and a shape; colour only repeats them.

/** In the order in which counts of them come. */
const FATES = [
  { mark: "+", name: "kept word for word", short: "kept", colour: "kept", symbol: "circle" },
  { mark: "~", name: "told as one with others", short: "told as one", colour: "told", symbol: "diamond" },
  { mark: "=", name: "known already", short: "known", colour: "known", symbol: "rect" },
  { mark: "?", name: "kept, contested with another entry", short: "contested", colour: "contested", symbol: "arrow" },
  { mark: "!", name: "no longer true by nightfall", short: "replaced", colour: "replaced", symbol: "triangle" },
  { mark: "&", name: "repeats another", short: "repeats", colour: "repeat", symbol: "pin" },
  { mark: "-", name: "let go", short: "let go", colour: "gone", symbol: "circle", hollow: true },
];
const FATE_OF = new Map(FATES.map((fate) => [fate.mark, fate]));

/** What becomes of older entries, by the verb of the change. */
const OLDER = {
  corroborate: { mark: "=", name: "known already, now surer" },
  strengthen: { mark: "=", name: "drawn again, now surer" },
  chunk: { mark: "~", name: "told in short with what is like it" },
  contest: { mark: "?", name: "contested" },
  supersede: { mark: "!", name: "no longer true" },
  collapse: { mark: "&", name: "status lines made one" },
  archive: { mark: "-", name: "put away" },
  forget: { mark: "-", name: "forgotten" },
  restore: { mark: "+", name: "brought back" },
};

/** Why, in a reader's words, by the rule that decided. */
const RULES = {
  "exact-repeat": "The same words came before that day",
  "status-repeat": "Another reading of this status stands for it",
  blank: "There is nothing in it",
  pinned: "The game pinned it",
  important: "Important: its words are never lost",
  "already-known": "Long-term memory says it already",
  "held-apart": "Close to something known, but the judge holds it apart",
  "changes-belief": "Contradicts what was believed",
  similar: "Much like the others it is told with",
  "over-budget-cohesive": "Its theme is over budget and hangs together",
  "unimportant-incoherent": "Unimportant, in a theme that does not hang together",
  "over-budget": "Its theme is over budget, and others tell more",
  "within-budget": "Within its theme’s budget",
  novel: "Like nothing else of that day",
  "cohesive-cluster": "Drawn from a theme that hangs together",
  "drawn-again": "Drawn again from other memories",
  contradicted: "Contradicted by something newer",
  contested: "Contradicted by something less well founded; both stay",
  settled: "Somebody decided between contested entries",
  capped: "Newer insights on the same subject are enough",
  restored: "Somebody asked for it back",
  "said-again": "Let go on an earlier night, and said again",
  declined: "Whoever reviewed the plan declined what else was to become of it",
  abstracted: "Old and unimportant: told in short with what is like it",
  faded: "Weaker than what is remembered",
  "over-most": "One of the weakest, where there are more than may be active",
};

/** The rule in words, then what it looked at. */
function because([rule, looked]) {
  if (!rule) return "";
  return looked ? `${RULES[rule] ?? rule} (${looked})` : (RULES[rule] ?? rule);
}

/** A fate's mark in its colour, and its name for who does not see it. */
function mark(sign, name = FATE_OF.get(sign)?.name) {
  return el("span", { class: "markof fate", "data-fate": sign, title: name }, el("span", { "aria-hidden": "true" }, sign), name && unseen(name));
}

/** Shares of fates as one strip. */
function strip(counts, tall) {
  const total = counts.reduce((sum, n) => sum + n, 0);
  const told = FATES.map((fate, i) => counts[i] && `${counts[i]} ${fate.short}`).filter(Boolean).join(", ");
  const made = el("div", { class: tall ? "strip tall" : "strip", role: "img", "aria-label": total ? told : "no memories", title: told });
  FATES.forEach((fate, i) => {
    if (counts[i] === 0) return;
    const part = el("i", { "data-fate": fate.mark });
    part.style.flexGrow = counts[i];
    made.append(part);
  });
  return made;
}

/** Which mark is which fate, with how many memories each has. */
function key(counts) {
  return el("ul", { class: "key" }, FATES.map((fate, i) => counts[i] > 0 && el("li", {}, mark(fate.mark, ""), `${fate.name} `, el("span", { class: "faint" }, counts[i].toLocaleString("en")))));
}
