// Beliefs over nights: which entries are superseded, and what holds instead.

/** Characters of a successor that stand beside what it supersedes; the rest is in the detail. */
const SUCCESSOR_LETTERS = 300;

/** The id and the text of a source: a memory of the day by its index, or an entry. */
function citedEntry(night, cited) {
  return typeof cited === "number" ? night.memories[cited] : cited;
}

/**
 * Supersessions of an NPC's nights, in order of time: a map from the id of a superseded entry to its successor. An entry that
 * a later night restores holds again.
 */
function supersessions(nights) {
  const successors = new Map();
  nights.forEach((night, n) => {
    const add = (id, cited) => {
      const { id: by, text } = citedEntry(night, cited);
      if (by !== id) successors.set(id, { id: by, text, n, night: night.night });
    };
    night.older.filter(({ verb }) => verb === "restore").forEach(({ id }) => successors.delete(id));
    night.memories.filter(({ fate, by }) => fate === "!" && by !== undefined).forEach(({ id, by }) => add(id, by));
    night.older.filter(({ verb, cites }) => verb === "supersede" && cites.length > 0).forEach(({ id, cites }) => add(id, cites[0]));
  });
  return successors;
}

/** The night that superseded an entry, and the text that holds now; undefined if the entry itself holds. */
function holdsNow(successors, id) {
  const first = successors.get(id);
  let last = first;
  const seen = new Set([id]);
  while (last && successors.has(last.id) && !seen.has(last.id)) {
    seen.add(last.id);
    last = successors.get(last.id);
  }
  return first && { night: first.night, n: first.n, text: last.text };
}

/** The id of the entry in which a memory lives on. */
function entryOf(night, memory) {
  if (memory.fate === "&" && typeof memory.by === "number") return entryOf(night, night.memories[memory.by]);
  if (memory.fate === "~" && memory.told !== undefined) return night.told[memory.told].id;
  if (memory.fate === "=" && memory.by !== undefined) return citedEntry(night, memory.by).id;
  return memory.id;
}

/** What holds instead of an entry: as all nights have it, else what a night itself cites as `by`. */
function successorOf(night, successors, id, by) {
  return holdsNow(successors, id) ?? (by === undefined ? undefined : { text: citedText(night, by) });
}

/** A line that says what holds instead of a superseded text. */
function successorLine({ night, text }) {
  return el("span", { class: "successor" }, el("span", { class: "faint small" }, night ? `superseded, ${night}; now: ` : "superseded by: "), words(text ? cut(text, SUCCESSOR_LETTERS) : "(an entry that is not at hand)"));
}
