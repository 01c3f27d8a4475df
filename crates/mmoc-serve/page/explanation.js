// What spoke for a prediction: terms of the posterior, features, and other labels.

import { element, offer } from "./dom.js";
import { setText, shortNumber, signed, termText } from "./text.js";

/** The sections about why a set was predicted; none if the model has no explanation. */
export function explanation({ labels, explanation: found, unexplained }) {
  if (unexplained) {
    const words = `This model has no explanation: ${unexplained}.`;
    return [element("h3", {}, "What spoke for it"), element("p", { className: "quiet" }, words)];
  }
  if (!found) return [];
  return [...ofSet(found, labels), ...ofLabels(found.labels)];
}

function ofSet({ against, terms }, labels) {
  if (!terms?.length) return [];
  const words = `Each term of the posterior for ${quoted(labels)} rather than ${quoted(against)}, in log-odds.`;
  const parts = terms.map(({ name, contribution }) => ({ text: termText(name), contribution }));
  return [element("h3", {}, "What spoke for this set"), element("p", { className: "quiet names" }, words), bars(parts)];
}

const quoted = (labels) => (labels.length > 0 ? `“${setText(labels)}”` : "no label");

function ofLabels(labels) {
  if (!labels?.length) return [];
  const select = element("select", { id: "explained" });
  const place = element("div");
  const shown = labels.findIndex((own) => own.predicted);
  const choice = (own, index) => [String(index), own.predicted ? `${own.label} (predicted)` : own.label];
  offer(select, labels.map(choice), String(Math.max(shown, 0)));
  const draw = () => place.replaceChildren(...ofLabel(labels[Number(select.value)]));
  select.addEventListener("change", draw);
  draw();
  const field = element("div", { className: "field" }, element("label", { htmlFor: "explained" }, "Label"), select);
  return [element("h3", {}, "What spoke for a label"), element("div", { className: "explained" }, field, place)];
}

function ofLabel({ score, parts }) {
  const hasFeatures = parts.some((part) => part.kind === "feature");
  const words = hasFeatures
    ? "What each feature adds to the score of a typical row, the baseline."
    : "The terms of this model have no parts for single features.";
  const shown = parts.map((part) => ({ text: partText(part), contribution: part.contribution }));
  return [element("p", { className: "quiet" }, words), bars(shown, score)];
}

function partText({ kind, name, value }) {
  switch (kind) {
    case "feature":
      return `${name} = ${shortNumber(value)}`;
    case "label":
      return `with ${name}`;
    case "term":
      return termText(name);
    default:
      return name;
  }
}

/** Bars to both sides of zero, the widest over half of the track, and their sum. */
function bars(parts, sum) {
  const largest = Math.max(...parts.map((part) => Math.abs(part.contribution)), Number.MIN_VALUE);
  const list = element("ul", { className: "bars" }, ...parts.map((part) => bar(part, largest)));
  if (sum === undefined) return list;
  const number = element("span", { className: "number" }, signed(sum));
  list.append(element("li", { className: "total" }, element("span", {}, "score"), element("span"), number));
  return list;
}

function bar({ text, contribution }, largest) {
  const fill = element("div", { className: contribution < 0 ? "fill against" : "fill for" });
  fill.style.setProperty("--share", `${(50 * Math.abs(contribution)) / largest}%`);
  return element(
    "li",
    {},
    element("span", { className: "name" }, text),
    element("div", { className: "track both" }, fill),
    element("span", { className: "number" }, signed(contribution)),
  );
}
