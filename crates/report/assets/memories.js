// The diff by theme: every memory with its mark, its text and, opened, the reason.

/** The text of a source: a memory of the day by its index, or an entry of another night. */
function citedText(night, cited) {
  return typeof cited === "number" ? night.memories[cited].text : cited.text || "(an earlier entry)";
}

function citedList(night, cites) {
  return el(
    "ul",
    { class: "sources" },
    cites.map((cited) => el("li", {}, mark(typeof cited === "number" ? night.memories[cited].fate : "="), words(citedText(night, cited)))),
  );
}

/** The opened part of a memory's row; `tools` makes what a page offers to do with a memory. */
function memoryDetail(night, memory, tools) {
  const instead = { "&": "Repeats", "=": "Corroborates", "?": "Contested with", "!": "Superseded by" }[memory.fate];
  const told = memory.told === undefined ? undefined : night.told[memory.told];
  return el(
    "div",
    { class: "detail", "data-fate": memory.fate },
    el("p", {}, `${because(memory.why) || FATE_OF.get(memory.fate).name}.`),
    told && el("p", {}, el("span", { class: "faint" }, `In a synthesis with ${count(told.cites.length - 1, "other")}: `), words(told.text)),
    instead && memory.by !== undefined && el("p", {}, el("span", { class: "faint" }, `${instead}: `), words(citedText(night, memory.by))),
    el("p", { class: "faint small" }, [memory.id, memory.kind ?? "event", typeof memory.at === "string" ? memory.at : `${memory.at} s`, memory.pinned && "pinned", memory.importance === undefined && "importance not given"].filter(Boolean).join(" · ")),
    tools?.(memory),
  );
}

/** The time of day: of a date, or of seconds of game time. */
function clock(at) {
  if (typeof at === "string") return /T(\d\d:\d\d)/.exec(at)?.[1] ?? "";
  const minutes = Math.floor((((at % 86400) + 86400) % 86400) / 60);
  return [Math.floor(minutes / 60), minutes % 60].map((n) => String(n).padStart(2, "0")).join(":");
}

function memoryRow(night, i, query, spotlight, { successors, tools }) {
  const memory = night.memories[i];
  const now = successorOf(night, successors, entryOf(night, memory), memory.fate === "!" ? memory.by : undefined);
  const row = el(
    "details",
    { class: now ? "memory superseded" : "memory", "data-fate": memory.fate, "data-memory": i },
    el(
      "summary",
      { onmouseenter: () => spotlight.show([i]), onmouseleave: () => spotlight.rest(), onfocus: () => spotlight.show([i]), onblur: () => spotlight.rest() },
      mark(memory.fate),
      el("time", {}, clock(memory.at)),
      el("div", { class: "what" }, found(memory.text, query), now && successorLine(now)),
      memory.importance !== undefined && el("span", { class: "weight" }, unseen("importance "), memory.importance),
    ),
  );
  row.addEventListener("toggle", () => {
    if (row.open && row.children.length === 1) row.append(memoryDetail(night, memory, tools));
  });
  return row;
}

/** Memories by theme, the loose ones last. */
function memoryGroups(night) {
  const groups = night.themes.map((theme) => ({ name: theme.name, about: theme.strength, rows: [] }));
  const loose = { name: "Loose", about: "memories in no theme, status lines, blanks", rows: [] };
  night.memories.forEach((memory, i) => {
    const theme = memory.theme ?? night.memories[memory.by]?.theme;
    (groups[theme] ?? loose).rows.push(i);
  });
  return [...groups, loose];
}

function memoryPanel(night, spotlight, options) {
  const groups = memoryGroups(night);
  const list = el("div", {});
  const counted = el("p", { class: "faint small" });
  const search = el("input", { class: "field", type: "search", placeholder: "Filter these memories", "aria-label": "Filter these memories", id: "filter", oninput: () => show() });
  const chips = FATES.map((fate) => {
    const n = night.memories.filter((memory) => memory.fate === fate.mark).length;
    const box = el("input", { type: "checkbox", checked: true, value: fate.mark, onchange: () => show() });
    return n > 0 && el("label", { class: "chip" }, box, el("span", { class: "face" }, mark(fate.mark, ""), `${fate.short} `, el("span", { class: "faint" }, n)));
  }).filter(Boolean);
  const show = () => {
    const query = search.value.trim();
    const marks = new Set(chips.map((chip) => chip.querySelector("input")).filter((box) => box.checked).map((box) => box.value));
    const wanted = (i) => marks.has(night.memories[i].fate) && (!query || night.memories[i].text.toLowerCase().includes(query.toLowerCase()));
    let shown = 0;
    const sections = groups.map((group) => {
      const rows = group.rows.filter(wanted);
      shown += rows.length;
      return rows.length > 0 && groupSection(group, rows, (i) => memoryRow(night, i, query, spotlight, options));
    });
    list.replaceChildren(...(shown === 0 && query ? [nothingFound(query)] : sections.filter(Boolean)));
    counted.textContent = shown === night.memories.length ? `${count(shown, "memory", "memories")}, by theme` : `${shown} of ${count(night.memories.length, "memory", "memories")}`;
    say(counted.textContent);
  };
  show();
  spotlight.heard.add(() => {
    list.querySelectorAll(".memory").forEach((row) => row.classList.toggle("lit", spotlight.lit.has(Number(row.dataset.memory))));
  });
  spotlight.open = (i) => {
    const row = list.querySelector(`[data-memory="${i}"]`);
    if (!row) return;
    row.open = true;
    row.scrollIntoView({ block: "center" });
    row.querySelector("summary").focus({ preventScroll: true });
  };
  return panel("memories", "What became of each memory", undefined, el("div", { class: "filters" }, chips, search), counted, list);
}

function groupSection(group, rows, row) {
  const list = longList(el("div", {}), rows, row);
  return el("section", { class: "theme" }, el("header", {}, el("h3", { dir: "auto" }, group.name), el("p", {}, group.about)), list);
}
