// The rows of a CSV file, and their predictions.

import { rowOf } from "./cells.js";
import { parse, write } from "./csv.js";
import { byId, complain, element } from "./dom.js";
import { percent, setText } from "./text.js";

// Rows that are shown, and rows of one request.
const SHOWN = 50;
const AT_ONCE = 1000;

let predicted = [];

/** Forgets the file. */
export function forget() {
  predicted = [];
  complain("file-error");
  byId("file-status").textContent = "";
  byId("file").value = "";
  for (const id of ["rows", "download"]) byId(id).hidden = true;
}

/** Reads a file and predicts its rows. `choose` is called with a row that is selected. */
export async function predictFile(file, columns, predict, choose) {
  forget();
  const status = byId("file-status");
  try {
    status.textContent = `Reading ${file.name}`;
    const rows = rowsOf(await file.text(), columns);
    for (let start = 0; start < rows.length; start += AT_ONCE) {
      status.textContent = `Predicting row ${start + 1} of ${rows.length}`;
      predicted.push(...(await predict(rows.slice(start, start + AT_ONCE))));
    }
    showRows(rows, choose);
    status.textContent = countText(rows.length);
  } catch (error) {
    forget();
    complain("file-error", `${file.name}: ${error.message}`);
  }
}

function rowsOf(text, columns) {
  const [header, ...records] = parse(text);
  const names = (header ?? []).map((name) => name.trim());
  if (!columns.some((column) => names.includes(column.name))) {
    throw new Error("The first line has none of the columns of the model.");
  }
  if (records.length === 0) throw new Error("There are no rows below the header.");
  return records.map((record) => rowOf(columns, names, record));
}

function countText(count) {
  const rows = count > SHOWN ? `The first ${SHOWN} of ${count} rows` : `${count} ${count === 1 ? "row" : "rows"}`;
  return `${rows}. Choose one for details.`;
}

function showRows(rows, choose) {
  const heads = ["Row", "Predicted labels", "Confidence"].map((text, place) =>
    element("th", { scope: "col", className: place === 2 ? "number" : "" }, text));
  const lines = predicted
    .slice(0, SHOWN)
    .map((prediction, place) => line(prediction, place, () => choose(rows[place], place)));
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...lines));
  byId("rows").replaceChildren(table);
  for (const id of ["rows", "download"]) byId(id).hidden = false;
}

function line({ labels, confidence }, place, choose) {
  const button = element("button", { className: "link", type: "button" }, String(place + 1));
  button.setAttribute("aria-label", `Details of row ${place + 1}`);
  const whole = element(
    "tr",
    {},
    element("td", {}, button),
    element("td", { className: "names" }, setText(labels)),
    element("td", { className: "number" }, confidence == null ? "" : percent(confidence)),
  );
  button.addEventListener("click", () => {
    for (const other of byId("rows").querySelectorAll("tr.chosen")) other.classList.remove("chosen");
    whole.classList.add("chosen");
    choose();
  });
  return whole;
}

/** The predictions as a table: a column for each label, and the confidence. */
export function table(labels) {
  const header = ["row", ...labels, "confidence"];
  const record = (own, place) => {
    const has = new Set(own.labels);
    return [place + 1, ...labels.map((label) => (has.has(label) ? 1 : 0)), own.confidence ?? ""];
  };
  return write([header, ...predicted.map(record)]);
}
