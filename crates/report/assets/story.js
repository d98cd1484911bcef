// What happened, in a few texts: of a night, and of all nights of an NPC.

/** The lines of a story: beliefs that changed with their causes, insights, and what is kept above all. */
function storyList({ beliefs = [], insights = [], kept = [] }) {
  const line = (sign, name, ...what) => el("li", {}, mark(sign, name), el("div", { class: "what" }, what));
  const belief = ({ sign, words: [lead, link], was, now }) =>
    line(sign, "", el("span", { class: "faint" }, `${lead}: `), words(was), now && el("span", { class: "cause" }, el("span", { class: "faint" }, `${link}: `), words(now)));
  const insight = (text) => line("*", "", el("span", { class: "faint" }, "insight: "), words(text));
  const memory = (text) => line("+", undefined, words(text));
  const lines = [...beliefs.map(belief), ...insights.map(insight), ...kept.map(memory)];
  return lines.length > 0 && el("ul", { class: "story" }, lines);
}

/** The story of a night: what it changed, and what is kept above all. */
function storyPanel(night) {
  const list = storyList(night.story);
  return list && panel("story", "What happened", "beliefs that changed, insights, and what is kept above all", list);
}
