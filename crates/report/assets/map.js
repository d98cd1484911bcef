// The day as a map: similar memories lie close together, and each theme is an area.

/** Indices of the memories in no theme. */
function looseOf(night) {
  return night.memories.flatMap((memory, i) => (memory.theme === undefined && memory.fate !== "&" ? [i] : []));
}

/** Places for a day that came without a map: themes side by side on a circle, each a spiral, the earliest innermost. */
function laidOut(night) {
  const groups = night.themes.map((theme) => theme.members);
  const loose = looseOf(night);
  if (loose.length) groups.push(loose);
  const places = new Map();
  groups.forEach((group, g) => {
    const turn = (2 * Math.PI * g) / groups.length - Math.PI / 2;
    const away = groups.length > 1 ? 1 : 0;
    group.forEach((i, n) => {
      const [angle, out] = [n * 2.39996, 0.085 * Math.sqrt(n)];
      places.set(i, [away * Math.cos(turn) + out * Math.cos(angle), away * Math.sin(turn) + out * Math.sin(angle)]);
    });
  });
  return places;
}

function placesOf(night) {
  if (night.mapped === undefined) return laidOut(night);
  return new Map(night.memories.flatMap((memory, i) => (memory.xy ? [[i, memory.xy]] : [])));
}

/** Bounds with some margin, in the proportions of the chart, so that distances are the same both ways. */
function bounds(places, width, height) {
  const [xs, ys] = [0, 1].map((axis) => [...places.values()].map((place) => place[axis]));
  const middle = (values) => (Math.min(...values) + Math.max(...values)) / 2;
  const span = (values) => Math.max(...values) - Math.min(...values) || 0.1;
  const scale = Math.max(span(xs) / width, span(ys) / height) * 1.16;
  const [x, y] = [middle(xs), middle(ys)];
  return { x: [x - (scale * width) / 2, x + (scale * width) / 2], y: [y - (scale * height) / 2, y + (scale * height) / 2] };
}

/** The convex hull of some points (Andrew's monotone chain, 1979). */
function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turnsRight = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]) <= 0;
  const half = (points) => {
    const chain = [];
    for (const point of points) {
      while (chain.length > 1 && turnsRight(chain.at(-2), chain.at(-1), point)) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return sorted.length < 3 ? sorted : [...half(sorted), ...half(sorted.reverse())];
}

function mapChart(night, spotlight) {
  const places = placesOf(night);
  const height = innerWidth < 640 ? 330 : 420;
  const option = (width) => {
    const { x, y } = bounds(places, width, height);
    const axis = ([min, max]) => ({ type: "value", min, max, show: false });
    const [lit, ink] = [spotlight.lit, colour("ink")];
    const dim = (i) => lit.size > 0 && !lit.has(i);
    // Each theme as an area: its hull, with a line around it that is as wide as the area's rim.
    const area = ({ dataIndex }, api) => {
      const members = night.themes[dataIndex].members.filter((i) => places.has(i));
      const fill = colour(lit.size > 0 && members.every(dim) ? "area-dim" : "area");
      const points = hull(members.map((i) => api.coord(places.get(i))));
      const grown = (paint, lineWidth) => ({ type: "polygon", shape: { points }, style: { fill: paint, stroke: paint, lineWidth, lineJoin: "round" } });
      // With a rim, so that areas that touch stay two.
      return { type: "group", children: [grown(colour("card"), 38), grown(fill, 34)] };
    };
    const dots = FATES.map((fate) => ({
      id: fate.mark,
      type: "scatter",
      symbol: fate.symbol,
      z: 3,
      itemStyle: fate.pattern === "hollow" ? { color: colour("card"), borderColor: colour(fate.colour), borderWidth: 1.75 } : { color: colour(fate.colour), borderColor: colour("card"), borderWidth: 1 },
      emphasis: { scale: 1.35 },
      data: night.memories.flatMap((memory, i) =>
        memory.fate === fate.mark && places.has(i)
          ? [{ value: [...places.get(i), i], symbolSize: 7 + (memory.importance ?? 5) * 1.1, itemStyle: { opacity: dim(i) ? 0.15 : 1 } }]
          : [],
      ),
    }));
    const above = (theme) => {
      const members = theme.members.filter((i) => places.has(i)).map((i) => places.get(i));
      return members.length ? [members.reduce((sum, place) => sum + place[0], 0) / members.length, Math.max(...members.map((place) => place[1]))] : [0, 0];
    };
    const names = {
      type: "scatter",
      z: 4,
      silent: true,
      symbolSize: 20,
      itemStyle: { color: "transparent" },
      labelLayout: ({ labelRect }) => ({ x: Math.min(Math.max(labelRect.x, 2), width - labelRect.width - 2) + labelRect.width / 2, align: "center", moveOverlap: "shiftY" }),
      label: { show: true, position: "top", distance: 9, color: ink, fontSize: 12, fontWeight: 600, textBorderColor: colour("card"), textBorderWidth: 4, formatter: ({ dataIndex }) => cut(night.themes[dataIndex].name.split(", ").slice(0, 2).join(", "), width < 500 ? 18 : 30) },
      data: night.themes.map(above),
    };
    return {
      grid: { left: 0, right: 0, top: 0, bottom: 0 },
      xAxis: axis(x),
      yAxis: axis(y),
      series: [{ type: "custom", silent: true, z: 1, data: night.themes.map(above), renderItem: area }, ...dots, names],
    };
  };
  const indexOf = (on) => (on.seriesType === "scatter" ? on.value?.[2] : undefined);
  const made = chart({
    id: "map-chart",
    label: `Map of ${count(places.size, "memory", "memories")} in ${count(night.themes.length, "theme")}. The list of memories below says the same.`,
    height,
    option,
    told: (on) => {
      const memory = night.memories[indexOf(on)];
      return memory && [memory.text, `${FATE_OF.get(memory.fate).name} · importance ${memory.importance ?? "not given"}`];
    },
    click: (on) => spotlight.open(indexOf(on)),
  });
  spotlight.heard.add(made.draw);
  return made.place;
}

function mapPanel(night, spotlight) {
  const caption =
    night.mapped === undefined
      ? "This plan was saved without a map: each theme stands by itself, and distances mean nothing."
      : `Close together means alike, as far as a plane can show it (${percent(night.mapped)} of all distances); themes are drawn together. Larger is more important.`;
  return panel("map", "The day as a map", undefined, el("figure", {}, mapChart(night, spotlight), el("figcaption", {}, caption)));
}

/** The themes of the day, the strongest first, and in one line what is loose; each highlights its memories. */
function themePanel(night, spotlight) {
  const item = (members, kept, name, about) => {
    const button = el(
      "button",
      {
        class: "plain",
        type: "button",
        "aria-pressed": "false",
        onclick: () => spotlight.hold(members, button),
        onmouseenter: () => spotlight.show(members),
        onmouseleave: () => spotlight.rest(),
      },
      name,
      el("span", { class: "faint number" }, `${kept} of ${members.length}`),
      about && el("span", { class: "faint small" }, about),
    );
    return el("li", {}, button);
  };
  const items = night.themes.map((theme) => item(theme.members, theme.kept, el("strong", { dir: "auto" }, theme.name), theme.strength));
  const loose = looseOf(night);
  const kept = loose.filter((i) => "+?".includes(night.memories[i].fate)).length;
  if (loose.length) items.push(item(loose, kept, el("span", { class: "faint" }, "loose")));
  return panel("themes", "Themes", "kept of memories", el("ul", { class: "themes" }, items), key(FATES.map((fate) => night.memories.filter((memory) => memory.fate === fate.mark).length)));
}
