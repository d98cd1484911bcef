// Charts on canvases: drawn by ECharts, in the page's own colours, with a description for screen readers.

const tip = document.getElementById("tip");
const pointer = { x: 0, y: 0 };
let liveCharts = [];

/** Drops the charts of a view that is left. */
function dropCharts() {
  liveCharts.forEach((chart) => chart.drop());
  liveCharts = [];
  hideTip();
}

/**
 * A chart that is drawn once its place is on the page, and again when its width, the colours or the pixel ratio change.
 * `option` is called with the width; `told` returns the lines of the tooltip.
 */
function chart({ id, label, height, option, told, hover, leave, click }) {
  const place = el("div", { class: "chart", id, role: "img", "aria-label": label });
  place.style.height = `${height}px`;
  let drawn;
  const draw = () => {
    if (!place.clientWidth) return;
    // A canvas keeps the pixel ratio that it was made with.
    if (drawn && drawn.getDevicePixelRatio() !== devicePixelRatio) {
      drawn.dispose();
      drawn = undefined;
      hideTip();
    }
    drawn ??= begun();
    drawn.resize();
    drawn.setOption({ animation: false, textStyle: { fontFamily: getComputedStyle(document.body).fontFamily }, ...option(place.clientWidth) }, true);
  };
  const begun = () => {
    const made = echarts.init(place, undefined, { devicePixelRatio });
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
  ratioListeners.add(draw);
  const drop = () => {
    watcher.disconnect();
    schemeListeners.delete(draw);
    ratioListeners.delete(draw);
    drawn?.dispose();
  };
  const handle = { place, drop, draw, act: (action) => drawn?.dispatchAction(action) };
  liveCharts.push(handle);
  return handle;
}

/** Called when the window moves to a screen of another pixel ratio, or the page is zoomed. */
const ratioListeners = new Set();

function watchRatio() {
  const again = () => {
    watchRatio();
    ratioListeners.forEach((listener) => listener());
  };
  matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change", again, { once: true });
}
watchRatio();

/** Shows the tooltip beside the pointer. */
function showTip(lines) {
  if (!lines?.length) return;
  tip.replaceChildren(...lines.map((line) => el("p", { dir: "auto" }, line)));
  tip.hidden = false;
  placeTip();
}

function hideTip() {
  tip.hidden = true;
}

function placeTip() {
  const { width, height } = tip.getBoundingClientRect();
  const { x, y } = pointer;
  const left = x + 14 + width > innerWidth - 8 ? Math.max(8, x - 14 - width) : x + 14;
  const top = y + 14 + height > innerHeight - 8 ? Math.max(8, y - 14 - height) : y + 14;
  tip.style.transform = `translate(${left}px, ${top}px)`;
}

// Captured, so that the place is known before a chart hears of the pointer.
for (const event of ["pointermove", "pointerdown"]) {
  addEventListener(
    event,
    ({ clientX, clientY }) => {
      [pointer.x, pointer.y] = [clientX, clientY];
      if (!tip.hidden) placeTip();
    },
    { capture: true, passive: true },
  );
}
// What the tooltip describes moves away below the pointer. Captured, for parts of the page scroll, too.
for (const event of ["scroll", "pointercancel", "blur"]) addEventListener(event, hideTip, { capture: true, passive: true });
document.documentElement.addEventListener("pointerleave", hideTip);
addEventListener("keydown", ({ key }) => key === "Escape" && hideTip());

/** Cuts a text to a maximum of characters, whole ones only. */
function cut(text, most) {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join("").trimEnd()}…` : text;
}

const MEASURE = document.createElement("canvas").getContext("2d");
const NIGHT_LETTERS = 14;

/**
 * A category axis of nights, with the room it takes at the right. The last night is always labelled, and of those before it
 * as many as have room.
 */
function nightAxis(labels, width, left) {
  const size = 12;
  MEASURE.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  const texts = labels.map((label) => cut(label, NIGHT_LETTERS));
  const wide = Math.max(0, ...texts.map((text) => MEASURE.measureText(text).width));
  const slot = (right) => (width - left - right) / Math.max(1, labels.length);
  const right = Math.max(8, Math.ceil(MEASURE.measureText(texts.at(-1) ?? "").width / 2 - slot(8) / 2) + 4);
  const step = Math.max(1, Math.ceil((wide + 10) / Math.max(1, slot(right))));
  const axis = {
    type: "category",
    data: labels.map((_, i) => i),
    axisTick: { show: false },
    axisLine: { lineStyle: { color: colour("line") } },
    axisLabel: { color: colour("faint"), fontSize: size, interval: (i) => (labels.length - 1 - i) % step === 0, formatter: (i) => texts[i] },
  };
  return { axis, right };
}
