// Time from a setting that is moved on the desk to the changes on the screen, in a browser.
//
//   nightfold desk scenarios/plague-town                                  # prints ADDRESS
//   chromium --headless=new --remote-debugging-port=9333 about:blank
//   node --experimental-websocket benches/desk/input_to_screen.mjs ADDRESS   # no flag from Node 22 on
const [address] = process.argv.slice(2);
const MOVES = 60;

const tabs = await (await fetch("http://127.0.0.1:9333/json")).json();
const socket = new WebSocket(tabs.find(({ type }) => type === "page").webSocketDebuggerUrl);
await new Promise((opened) => (socket.onopen = opened));
let last = 0;
const waiting = new Map();
socket.onmessage = ({ data }) => {
  const { id, result } = JSON.parse(data);
  waiting.get(id)?.(result);
};
const call = (method, params) =>
  new Promise((answered) => {
    waiting.set(++last, answered);
    socket.send(JSON.stringify({ id: last, method, params }));
  });
const js = async (expression) => (await call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true })).result?.value;

await call("Page.navigate", { url: address });
while (!(await js("!!document.getElementById('time')"))) await new Promise((later) => setTimeout(later, 100));
const times = await js(`(async () => {
  const [slider, times] = [document.getElementById("setting-budget-storage"), []];
  let seed = 7;
  for (let move = 0; move < ${MOVES}; move++) {
    document.getElementById("time").remove();
    seed = (seed * 16807) % 2147483647;
    slider.value = 0.1 + (seed % 80) / 100;
    const begun = performance.now();
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    while (!document.getElementById("time")) await new Promise((later) => setTimeout(later, 1));
    await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0)));
    times.push(performance.now() - begun);
    // Two moves of three follow at once; after the third the whole story is planned meanwhile.
    await new Promise((later) => setTimeout(later, move % 3 ? 60 : 500));
  }
  return times.sort((a, b) => a - b);
})()`);
const at = (share) => times[Math.floor(times.length * share)].toFixed(0);
console.log(`input to screen: ${at(0.5)} ms in the median, ${at(0.95)} at p95, ${at(0.999)} at most, of ${MOVES} moves`);
process.exit();
