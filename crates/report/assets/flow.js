// Flow of a day's memories: from themes into fates.

/** Number of memories of each theme and fate; the last row is of the loose ones. */
function flows(night) {
  const rows = [...night.themes.map((theme) => theme.name), "loose"].map((name) => ({ name, counts: FATES.map(() => 0) }));
  for (const memory of night.memories) {
    // A repeat goes with what it repeats.
    const theme = memory.theme ?? night.memories[memory.by]?.theme;
    rows[theme ?? night.themes.length].counts[FATES.indexOf(FATE_OF.get(memory.fate))] += 1;
  }
  return rows.filter((row) => row.counts.some((n) => n > 0));
}

function flowPanel(night) {
  const rows = flows(night);
  const sums = FATES.map((_, f) => rows.reduce((sum, row) => sum + row.counts[f], 0));
  const total = (row) => row.counts.reduce((sum, n) => sum + n, 0);
  const option = (width) => {
    const narrow = width < 480;
    const themes = rows.map((row, r) => ({ name: `t${r}`, itemStyle: { color: colour("faint") }, label: { position: "right" } }));
    const fates = FATES.flatMap((fate, f) => (sums[f] ? [{ name: `f${f}`, itemStyle: fillOf(fate), label: { position: "right" } }] : []));
    const links = rows.flatMap((row, r) => row.counts.flatMap((value, f) => (value ? [{ source: `t${r}`, target: `f${f}`, value, lineStyle: { color: colour(FATES[f].colour) } }] : [])));
    const label = ({ name }) => {
      const n = Number(name.slice(1));
      return name[0] === "t" ? `${cut(rows[n].name, narrow ? 17 : 26)}  ${total(rows[n])}` : `${FATES[n].mark} ${FATES[n].short}  ${sums[n]}`;
    };
    return {
      series: {
        type: "sankey",
        left: 0,
        right: narrow ? 116 : 134,
        top: 8,
        bottom: 8,
        nodeWidth: 8,
        nodeGap: 14,
        layoutIterations: 0,
        draggable: false,
        data: [...themes, ...fates],
        links,
        lineStyle: { opacity: 0.32, curveness: 0.5 },
        emphasis: { focus: "adjacency", lineStyle: { opacity: 0.6 } },
        label: { color: colour("ink"), fontSize: narrow ? 11 : 12.5, formatter: label, textBorderColor: colour("card"), textBorderWidth: 3 },
      },
    };
  };
  const flow = chart({
    id: "flow-chart",
    label: `Flow of ${count(night.memories.length, "memory", "memories")} from themes into fates: ${FATES.map((fate, f) => sums[f] && `${sums[f]} ${fate.name}`).filter(Boolean).join(", ")}`,
    height: Math.max(260, 44 * rows.length),
    option,
    told: ({ data }) => data.source && [`${rows[Number(data.source.slice(1))].name} → ${FATES[Number(data.target.slice(1))].name}`, count(data.value, "memory", "memories")],
  });
  return panel("flow", "Where the day went", "memories, by theme and fate", el("figure", {}, flow.place, tableBehind(["Theme", ...FATES.map((fate) => fate.short)], rows.map((row) => [row.name, ...row.counts]))));
}
