// Charts on canvases: drawn by ECharts, in the page's own colours, described to whoever cannot see them.

const tip = document.getElementById("tip");
let liveCharts = [];

/** Forgets the charts of a view that is left. */
function dropCharts() {
  liveCharts.forEach((chart) => chart.drop());
  liveCharts = [];
  hideTip();
}

/**
 * A chart that is drawn once its place is on the page, and again when its width or the colours change. `option` is asked
 * for with the width; `told` gives the lines of what floats beside a pointer.
 */
function chart({ id, label, height, option, told, hover, leave, click }) {
  const place = el("div", { class: "chart", id, role: "img", "aria-label": label });
  place.style.height = `${height}px`;
  let drawn;
  const draw = () => {
    if (!place.clientWidth) return;
    drawn ??= begun();
    drawn.resize();
    drawn.setOption({ animation: false, textStyle: { fontFamily: getComputedStyle(document.body).fontFamily }, ...option(place.clientWidth) }, true);
  };
  const begun = () => {
    const made = echarts.init(place);
    made.on("mouseover", (on) => {
      showTip(told?.(on));
      hover?.(on);
    });
    made.on("mouseout", () => {
      hideTip();
      leave?.();
    });
    if (click) made.on("click", click);
    return made;
  };
  const watcher = new ResizeObserver(draw);
  watcher.observe(place);
  schemeListeners.add(draw);
  const drop = () => {
    watcher.disconnect();
    schemeListeners.delete(draw);
    drawn?.dispose();
  };
  const handle = { place, drop, draw, act: (action) => drawn?.dispatchAction(action) };
  liveCharts.push(handle);
  return handle;
}

function showTip(lines) {
  if (!lines?.length) return;
  tip.replaceChildren(...lines.map((line) => el("p", { dir: "auto" }, line)));
  tip.hidden = false;
}

function hideTip() {
  tip.hidden = true;
}

addEventListener("pointermove", ({ clientX, clientY }) => {
  if (tip.hidden) return;
  const { width, height } = tip.getBoundingClientRect();
  const left = clientX + 14 + width > innerWidth - 8 ? Math.max(8, clientX - 14 - width) : clientX + 14;
  const top = clientY + 14 + height > innerHeight - 8 ? Math.max(8, clientY - 14 - height) : clientY + 14;
  tip.style.transform = `translate(${left}px, ${top}px)`;
});

/** Cut to so many letters, whole characters only. */
function cut(text, most) {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join("").trimEnd()}…` : text;
}
