// The page of a bench: what two rounds of the same nights take, step by step.

const BENCH = JSON.parse(document.getElementById("bench").textContent);
const main = document.getElementById("main");
const { report } = BENCH;
const NAMES = { first: "first round", again: "again, vectors at hand" };
/** Steps, the longest first. */
const STEPS = Object.entries(report.rounds[0].steps).sort(([, a], [, b]) => b - a).map(([step]) => step);
const digits = (value, most) => value.toLocaleString("en", { maximumFractionDigits: most });
const seconds = (value) => `${digits(value, value < 1 ? 3 : 1)} s`;

/** Seconds of each step in both rounds. */
function stepsPanel() {
  const colours = ["kept", "replaced"];
  const option = () => ({
    grid: { left: 90, right: 70, top: 4, bottom: 26 },
    xAxis: { type: "value", axisLabel: { color: colour("faint"), formatter: "{value} s" }, splitLine: { lineStyle: { color: colour("line") } } },
    yAxis: { type: "category", inverse: true, data: STEPS, axisLine: { show: false }, axisTick: { show: false }, axisLabel: { interval: 0, color: colour("ink") } },
    series: report.rounds.map(({ name, steps }, at) => ({
      name: NAMES[name],
      type: "bar",
      data: STEPS.map((step) => steps[step] ?? 0),
      itemStyle: { color: colour(colours[at]) },
      label: { show: true, position: "right", color: colour("faint"), formatter: ({ value }) => seconds(value) },
    })),
  });
  const made = chart({
    id: "steps-chart",
    label: `Seconds of ${STEPS.join(", ")} in ${report.rounds.map(({ name }) => NAMES[name]).join(" and ")}`,
    height: 30 + 46 * STEPS.length,
    option,
    told: ({ name, seriesName, value }) => [`${name}, ${seriesName}`, seconds(value)],
  });
  return panel("steps", "Where the time goes", "seconds on the wall; steps go on side by side", el("figure", {}, made.place, el("figcaption", {}, "Blue: the first round. Orange: again, with the vectors at hand.")));
}

/** The measures that machines are compared by. */
function measuresPanel() {
  const milliseconds = (of) => `${digits(of.p50, 2)} ms, ${digits(of.p99, 2)} ms`;
  const least = ({ products_seconds: least }, taken) => (least === undefined ? "–" : percent(least / taken));
  const measures = [
    ["nights a second", (round) => digits(round.nights_per_second, 1)],
    ["a night: median, p99", (round) => milliseconds(round.night_ms)],
    ["a question: median, p99", (round) => milliseconds(round.question_ms)],
    ["all nights", (round) => seconds(round.seconds)],
    ["all nights, of the 32-bit rate", (round) => least(round, round.seconds)],
    ["embedding, of the 32-bit rate", (round) => least(round, round.steps.embed)],
    ["texts embedded, of all", (round) => `${round.vectors.embedded.toLocaleString("en")} of ${round.vectors.texts.toLocaleString("en")}`],
    ["peak memory so far", (round) => (round.peak_bytes === undefined ? "–" : `${Math.round(round.peak_bytes / 1e6)} MB`)],
  ];
  const head = el("tr", {}, el("th", { scope: "col" }, ""), report.rounds.map(({ name }) => el("th", { scope: "col", class: "number" }, NAMES[name])));
  const rows = measures.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), report.rounds.map((round) => el("td", { class: "number" }, value(round)))));
  return panel(
    "measures",
    "Measures",
    report.first_to_again && `the first round took ${digits(report.first_to_again, 1)} times as long as the second`,
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Measures" }, el("table", {}, el("thead", {}, head), el("tbody", {}, rows))),
    el("p", { class: "faint" }, "32-bit rate: what of the time the products of matrices of the embedded texts would take, at the rate that this machine reached right after, if nothing else were done."),
  );
}

const title = `${count(report.npcs, "NPC")} of ${count(report.memories, "memory", "memories")}`;
main.replaceChildren(
  el("div", {}, el("h1", {}, title), el("p", { class: "faint" }, `${percent(report.repeat_share)} of the memories repeat another of the day · seed ${report.seed} · ${count(report.threads, "thread")}`)),
  stepsPanel(),
  measuresPanel(),
);
document.title = `${title} · Nightfold`;
document.getElementById("foot").textContent = `Made by Nightfold ${BENCH.version}. Everything is in this file; nothing is fetched or sent.`;
