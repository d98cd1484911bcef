// Storage budgets of themes, and the entries kept.

function budgetPanel(night) {
  const { totals, themes } = night;
  const insights = (theme) => night.insights.filter((insight) => insight.cites.some((i) => theme.members.includes(i))).length;
  const option = (width) => {
    const names = Math.min(190, width * 0.42);
    return {
      grid: { left: names, right: 34, top: 4, bottom: 22 },
      xAxis: { type: "value", minInterval: 1, axisLabel: { color: colour("faint") }, splitLine: { lineStyle: { color: colour("line") } } },
      yAxis: {
        type: "category",
        inverse: true,
        data: themes.map((_, i) => i),
        axisLine: { show: false },
        axisTick: { show: false },
        axisLabel: { interval: 0, color: colour("ink"), fontSize: 12, width: names - 10, overflow: "truncate", formatter: (i) => themes[i].name },
      },
      series: [
        { name: "budget", type: "bar", barWidth: 18, barGap: "-80%", silent: true, data: themes.map((theme) => theme.budget), itemStyle: { color: colour("card"), borderColor: colour("faint"), borderWidth: 1, borderRadius: 2 } },
        {
          name: "kept",
          type: "bar",
          barWidth: 10,
          z: 3,
          data: themes.map((theme) => ({ value: theme.kept, itemStyle: { color: colour(theme.kept > theme.budget ? "replaced" : "kept") } })),
          itemStyle: { borderRadius: 1 },
          label: { show: true, position: "right", color: colour("faint"), formatter: ({ dataIndex }) => `${themes[dataIndex].kept}/${themes[dataIndex].budget}` },
        },
      ],
    };
  };
  const made = chart({
    id: "budget-chart",
    label: `Entries kept against the budget of each of ${count(themes.length, "theme")}: ${totals.kept} kept in all, of a budget of ${totals.budget}`,
    height: 40 + 34 * Math.max(1, themes.length),
    option,
    told: ({ dataIndex }) => [themes[dataIndex].name, `keeps ${themes[dataIndex].kept} of a budget of ${themes[dataIndex].budget}`],
  });
  const [ledger, estimate, spent] = totals.tokens;
  return panel(
    "budgets",
    "Budgets and entries kept",
    `${totals.kept} kept, budget ${totals.budget}`,
    el(
      "figure",
      {},
      made.place,
      el(
        "figcaption",
        {},
        "Outlined: the budget. Filled: the entries kept; orange where important memories or floors took more. ",
        `Language model tokens: ${spent.toLocaleString("en")} of ${ledger.toLocaleString("en")} spent`,
        spent === 0 && estimate > 0 && `; a model would take about ${estimate.toLocaleString("en")}`,
        ". ",
        totals.share < 1 && `Poor sleep left ${percent(totals.share)} of a full night’s budgets. `,
        totals.profile && `Settings of the profile ${totals.profile}.`,
      ),
      tableBehind(
        ["Theme", "Kept", "Budget", "Insights", "Insights allowed", "Tokens allowed"],
        themes.map((theme) => [theme.name, theme.kept, theme.budget, insights(theme), theme.slots, theme.tokens]),
      ),
    ),
  );
}
