// Overview of all NPCs: the first view of the page.

/** NPCs on one page of the list. */
const PAGE = 50;

const ALL_COLUMNS = [
  { name: "NPC", of: (row) => row.npc, text: true },
  { name: "Nights", of: (row) => row.nights, hide: true },
  { name: "Memories", of: (row) => row.memories, hide: true },
  { name: "Kept", of: (row) => row.kept },
  { name: "Fewer", of: (row) => (row.distinct ? 1 - row.kept / row.distinct : 0), shown: percent, hide: true },
  { name: "Over budget", of: (row) => Math.max(0, row.kept - row.budget), hide: true },
  { name: "Important lost", of: (row) => row.important - row.important_kept, hide: true },
  { name: "Beliefs changed", of: (row) => row.events[0] + row.events[1] + row.events[2], hide: true },
  { name: "Insights", of: (row) => row.insights, hide: true },
];

/** Columns in which not all is 0. */
const COLUMNS = ALL_COLUMNS.filter(({ of, text }) => text || SUMMARY.npcs.some((row) => of(row) !== 0));

function total(of) {
  return SUMMARY.npcs.reduce((sum, row) => sum + of(row), 0);
}

function runFigures() {
  const figure = (name, value, beside) => el("div", {}, el("dt", {}, name), el("dd", {}, value, beside && el("small", {}, ` ${beside}`)));
  const [distinct, kept] = [total((row) => row.distinct), total((row) => row.kept)];
  const number = (n) => n.toLocaleString("en");
  return el(
    "dl",
    { class: "figures" },
    figure("NPCs", number(SUMMARY.npcs.length)),
    figure("nights", number(total((row) => row.nights))),
    figure("memories", number(total((row) => row.memories))),
    figure("different", number(distinct)),
    figure("kept", number(kept), distinct > 0 && `${percent(1 - kept / distinct)} fewer`),
    figure("important ones whole", `${number(total((row) => row.important_kept))} of ${number(total((row) => row.important))}`),
    SUMMARY.ended_count > 0 && figure("important ones ended", number(SUMMARY.ended_count)),
    figure("insights", number(total((row) => row.insights))),
  );
}

/** Important memories and entries of all NPCs that ended. */
function endedPanel() {
  if (SUMMARY.ended_count === 0) return undefined;
  const line = ([number, ended]) => el("li", {}, endedLine(ended), " ", el("a", { class: "small", href: `#npc=${number}` }, SUMMARY.npcs[number].npc));
  const more = SUMMARY.ended_count - SUMMARY.ended.length;
  return panel("ended", "Important, and ended", more > 0 && `and ${more.toLocaleString("en")} more`, el("ul", {}, SUMMARY.ended.map(line)));
}

/** Orders rows by the counts of what happened, the weightiest first; of equals the first of the plan comes first. */
function byEvents(a, b) {
  const differs = a.row.events.findIndex((n, i) => n !== b.row.events[i]);
  return differs < 0 ? a.number - b.number : b.row.events[differs] - a.row.events[differs];
}

/** Fates of every night, one bar each. */
function nightsChart() {
  const nights = SUMMARY.nights;
  const option = (width) => {
    const left = 44;
    const { axis, right } = nightAxis(nights.map(({ night }) => night), width, left);
    return {
      grid: { left, right, top: 10, bottom: 26 },
      xAxis: axis,
      yAxis: { type: "value", minInterval: 1, axisLabel: { color: colour("faint") }, splitLine: { lineStyle: { color: colour("line") } } },
      series: FATES.map((fate, f) => ({
        name: fate.name,
        type: "bar",
        stack: "fates",
        barMaxWidth: 56,
        // A border would show where there is no bar.
        data: nights.map((night) => night.fates[f] || null),
        itemStyle: fillOf(fate),
      })),
    };
  };
  const made = chart({
    id: "nights-chart",
    label: `Memories by fate on each of ${count(nights.length, "night")}`,
    height: 220,
    option,
    told: ({ dataIndex, seriesName, value }) => [`${nights[dataIndex].night}: ${seriesName}`, count(value, "memory", "memories")],
  });
  return [made.place, tableBehind(["Night", ...FATES.map((fate) => fate.short)], nights.map((night) => [night.night, ...night.fates]))];
}

function fatePanel() {
  const sums = FATES.map((_, f) => total((row) => row.fates[f]));
  const [ledger, estimate, spent] = SUMMARY.tokens;
  const tokens = spent > 0 ? `language model: ${spent.toLocaleString("en")} of ${ledger.toLocaleString("en")} tokens spent` : estimate > 0 && `by rules; a language model would take about ${estimate.toLocaleString("en")} tokens`;
  return panel("fates", "Where the memories went", tokens, key(sums), SUMMARY.nights.length > 1 ? nightsChart() : strip(sums, true));
}

/** Changed beliefs of all NPCs that are told on the first view. */
const BELIEFS = 12;

/** The beliefs that changed, of all NPCs: the most eventful first. Whoever changed the same because of the same stands together. */
function beliefPanel() {
  const rows = eventful().filter(({ row }) => row.story.beliefs);
  if (rows.length === 0 || SUMMARY.npcs.length === 1) return undefined;
  const changes = new Map();
  for (const { row, number } of rows) {
    for (const belief of row.story.beliefs) {
      const same = JSON.stringify(belief);
      if (!changes.has(same)) changes.set(same, { belief, people: [] });
      changes.get(same).people.push(el("a", { href: `#npc=${number}`, dir: "auto" }, row.npc));
    }
  }
  const all = [...changes.values()].sort((a, b) => b.people.length - a.people.length);
  const item = ({ belief, people }) => {
    const list = storyList({ beliefs: [belief] });
    list.querySelector(".what").prepend(...people.flatMap((one, i) => [i > 0 && ", ", one].filter(Boolean)), " ");
    return list.firstChild;
  };
  const remark = all.length > BELIEFS && `the first ${BELIEFS} of ${all.length}`;
  return panel("beliefs", "What changed", remark, el("ul", { class: "story" }, all.slice(0, BELIEFS).map(item)));
}

/** What a scenario expects, what does not hold first. */
function expectationPanel() {
  const twice = (of) => [of, of];
  return expectationsPanel({ expectations: (SUMMARY.expectations ?? []).map((of) => ({ ...of, holds: twice(of.holds), found: twice(of.found) })) });
}

/** All NPCs with their numbers, the most eventful first. */
function eventful() {
  return SUMMARY.npcs.map((row, number) => ({ row, number })).sort(byEvents);
}

/** Each NPC as a card: what happened to it, in a few lines. */
function peoplePanel() {
  const card = ({ row, number }) =>
    el(
      "li",
      {},
      el("h3", {}, el("a", { href: `#npc=${number}`, dir: "auto" }, row.npc)),
      el("p", { class: "faint small" }, [row.memories > 0 && `keeps ${row.kept} of ${row.distinct}`, ...changesOf(row)].filter(Boolean).join(" · ")),
      strip(row.fates),
      storyList(row.story),
    );
  return panel("npcs", "Who, and what happened", SUMMARY.npcs.length > 1 && "the most eventful first", longList(el("ul", { class: "cards" }), eventful(), card));
}

/** The counts of what changed for an NPC, in words. */
function changesOf({ events: [superseded, contested, ended], insights }) {
  return [superseded && count(superseded, "belief superseded", "beliefs superseded"), contested && `${contested} contested`, ended && count(ended, "position ended", "positions ended"), insights && count(insights, "insight")];
}

/** All NPCs in numbers, to be sorted and filtered. */
function tablePanel() {
  const state = { column: -1, down: true, page: 0, query: "" };
  const body = el("tbody", {});
  const shown = el("span", { class: "faint", role: "status" });
  const turn = (by) => () => {
    state.page += by;
    show();
  };
  const [back, on] = [el("button", { class: "button", type: "button", onclick: turn(-1) }, "Previous"), el("button", { class: "button", type: "button", onclick: turn(1) }, "Next")];
  const heads = COLUMNS.map((column, c) =>
    el("th", { scope: "col", class: [column.hide && "hide", !column.text && "number"].filter(Boolean).join(" ") || undefined, "aria-sort": "none" }, el("button", { class: "plain sort", type: "button", onclick: () => sortBy(c) }, column.name)),
  );
  const sortBy = (c) => {
    state.down = state.column === c ? !state.down : !COLUMNS[c].text;
    [state.column, state.page] = [c, 0];
    heads.forEach((head, i) => head.setAttribute("aria-sort", i !== c ? "none" : state.down ? "descending" : "ascending"));
    show();
  };
  const ordered = () => {
    const rows = SUMMARY.npcs.map((row, number) => ({ row, number })).filter(({ row }) => row.npc.toLowerCase().includes(state.query));
    if (state.column < 0) return rows.sort(byEvents);
    const { of, text } = COLUMNS[state.column];
    const sign = state.down ? -1 : 1;
    return rows.sort((a, b) => sign * (text ? of(a.row).localeCompare(of(b.row)) : of(a.row) - of(b.row)) || a.number - b.number);
  };
  const line = ({ row, number }) =>
    el(
      "tr",
      {},
      COLUMNS.map(({ of, shown: say = (n) => n.toLocaleString("en"), hide, text }) =>
        text ? el("th", { scope: "row" }, el("a", { href: `#npc=${number}`, dir: "auto" }, of(row))) : el("td", { class: hide ? "number hide" : "number" }, say(of(row))),
      ),
      el("td", {}, strip(row.fates)),
    );
  const show = () => {
    const rows = ordered();
    const pages = Math.max(1, Math.ceil(rows.length / PAGE));
    state.page = Math.min(Math.max(0, state.page), pages - 1);
    const from = state.page * PAGE;
    body.replaceChildren(...rows.slice(from, from + PAGE).map(line));
    nothing.replaceChildren(rows.length === 0 ? nothingFound(filter.value.trim()) : "");
    shown.textContent = rows.length > PAGE ? `${from + 1}–${Math.min(from + PAGE, rows.length)} of ${count(rows.length, "NPC")}` : count(rows.length, "NPC");
    [back.disabled, on.disabled] = [state.page === 0, state.page === pages - 1];
    [back.hidden, on.hidden] = [pages === 1, pages === 1];
  };
  const filter = el("input", { class: "field", type: "search", id: "filter", placeholder: "Filter by name", "aria-label": "Filter NPCs by name" });
  filter.addEventListener("input", () => {
    [state.query, state.page] = [filter.value.trim().toLowerCase(), 0];
    show();
  });
  const nothing = el("div", {});
  show();
  return panel(
    "people",
    "In numbers",
    SUMMARY.npcs.length > 1 && "the most eventful first: by beliefs superseded, contested or ended, then insights and important memories",
    el("div", { class: "filters" }, filter),
    el("div", { class: "scroll" }, el("table", { class: "people" }, el("thead", {}, el("tr", {}, heads, el("th", { scope: "col" }, "Fates"))), body)),
    nothing,
    el("div", { class: "pager" }, shown, back, on),
  );
}
