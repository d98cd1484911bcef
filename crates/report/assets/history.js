// Themes of an NPC over its nights: a dot for each night that saw a theme, as large as the theme was.

function historyPanel(history) {
  const { nights, themes, more } = history;
  if (themes.length === 0 || nights.length < 2) return undefined;
  const most = Math.max(...themes.flatMap((theme) => theme.points.map(([, n]) => n)));
  const size = (n) => 5 + 17 * Math.sqrt(n / most);
  const option = (width) => {
    const names = Math.min(240, width * 0.44);
    const label = { fontSize: 12 };
    const { axis, right } = nightAxis(nights, width, names);
    return {
      grid: { left: names, right: Math.max(24, right), top: 8, bottom: 30 },
      xAxis: axis,
      yAxis: {
        type: "category",
        inverse: true,
        data: themes.map((_, i) => i),
        axisLine: { show: false },
        axisTick: { show: false },
        splitLine: { show: true, lineStyle: { color: colour("line") } },
        axisLabel: { interval: 0, ...label, color: colour("ink"), width: names - 12, overflow: "truncate", formatter: (i) => themes[i].words || "(unnamed theme)" },
      },
      series: { type: "scatter", itemStyle: { color: colour("accent"), borderColor: colour("card"), borderWidth: 1 }, data: themes.flatMap((theme, t) => theme.points.map(([night, n, weight]) => ({ value: [night, t, n, weight], symbolSize: size(n) }))) },
    };
  };
  const made = chart({
    id: "history-chart",
    label: `Themes over nights: ${count(themes.length, "theme")} on ${count(nights.length, "night")}`,
    height: 48 + 30 * themes.length,
    option,
    told: ({ value: [night, theme, n, weight] }) => [themes[theme].words, `${nights[night]}: ${count(n, "memory", "memories")}, mean importance ${weight.toFixed(1)}`],
  });
  const rows = themes.map((theme) => {
    const cells = nights.map((_, n) => theme.points.find(([night]) => night === n)?.[1] ?? 0);
    return [theme.words || "(unnamed theme)", theme.seen, theme.memories, ...cells];
  });
  const caption = more > 0 && el("figcaption", {}, `${count(more, "theme")} seen longer ago are left out.`);
  return panel("history", "What comes back", "themes over nights; a larger dot is more memories", el("figure", {}, made.place, caption, tableBehind(["Theme", "Nights", "Memories", ...nights], rows)));
}
