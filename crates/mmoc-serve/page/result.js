// A prediction: the label set, the probabilities of labels, other likely sets, and what spoke for it.

import { explanation } from "./explanation.js";
import { byId, element } from "./dom.js";
import { percent, setText } from "./text.js";

// Labels that are shown at first.
const FIRST_LABELS = 12;
const RECALIBRATED =
  "These are probabilities of the posterior. Confidence is recalibrated after training, so it may differ.";

/** Shows a prediction. */
export function show(prediction) {
  byId("prediction").replaceChildren(
    ...labelSet(prediction),
    ...probabilities(prediction),
    ...likeliestSets(prediction),
    ...explanation(prediction),
  );
}

/** Shows words where a prediction would be. */
export function tell(words) {
  byId("prediction").replaceChildren(element("p", { className: "quiet" }, words));
}

function labelSet({ labels, confidence }) {
  const items = labels.map((label) => element("li", {}, label));
  const none = element("li", { className: "none" }, "no label");
  const list = element("ul", { className: "set" }, ...(items.length > 0 ? items : [none]));
  list.setAttribute("aria-label", "Predicted labels");
  if (confidence == null) return [list];
  const words = element("span", { className: "quiet" }, " confidence that exactly this set is right");
  return [list, element("p", { className: "confidence" }, element("strong", {}, percent(confidence)), words)];
}

function probabilities(prediction) {
  if (!prediction.probabilities) return [];
  const predicted = new Set(prediction.labels);
  const sorted = Object.entries(prediction.probabilities).sort(([, a], [, b]) => b - a);
  const bar = ([label, probability]) => labelBar(label, probability, predicted.has(label));
  const list = element("ul", { className: "bars" }, ...sorted.slice(0, FIRST_LABELS).map(bar));
  const title = element("h3", {}, "Probability of each label");
  const rest = sorted.slice(FIRST_LABELS);
  if (rest.length === 0) return [title, list];
  const more = element("button", { className: "link", type: "button" }, `Show all ${sorted.length} labels`);
  more.addEventListener("click", () => {
    list.append(...rest.map(bar));
    more.remove();
  });
  return [title, list, more];
}

function labelBar(label, probability, predicted) {
  const fill = element("div", { className: "fill" });
  fill.style.setProperty("--share", `${100 * probability}%`);
  const name = element("span", { className: "name" }, label);
  if (predicted) name.append(element("span", { className: "hidden" }, ", predicted"));
  return element(
    "li",
    { className: predicted ? "predicted" : "" },
    name,
    element("div", { className: "track" }, fill),
    element("span", { className: "number" }, percent(probability)),
  );
}

function likeliestSets({ sets }) {
  if (!sets?.length) return [];
  const line = ({ labels, probability }) =>
    element(
      "tr",
      {},
      element("td", { className: "names" }, setText(labels)),
      element("td", { className: "number" }, percent(probability)),
    );
  const head = element(
    "tr",
    {},
    element("th", { scope: "col" }, "Labels"),
    element("th", { scope: "col", className: "number" }, "Probability"),
  );
  const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...sets.map(line)));
  return [element("h3", {}, "Likeliest label sets"), element("p", { className: "quiet" }, RECALIBRATED), table];
}
