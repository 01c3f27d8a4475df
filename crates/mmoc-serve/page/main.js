// The page to try a model: choosing it, its rows and its decision.

import * as api from "./api.js";
import { byId, complain, element, offer } from "./dom.js";
import * as file from "./file.js";
import * as form from "./form.js";
import * as result from "./result.js";
import { decisionText } from "./text.js";

// Likeliest sets, and largest contributions of each label.
const SETS = 5;
const CONTRIBUTIONS = 8;

let model = null;
// What is shown at present, so that another decision can be tried on it.
let again = () => {};
// Answers to questions before this one are not shown.
let asked = 0;

async function start() {
  try {
    const listed = await api.models();
    byId("token-form").hidden = true;
    complain("model-error");
    offer(byId("model"), listed.map(({ name }) => [name, name]), listed[0].name);
    byId("model-choice").hidden = listed.length < 2;
    await choose(listed[0].name);
  } catch (error) {
    failed(error, "model-error");
  }
}

async function choose(name) {
  complain("model-error");
  model = await api.describe(name);
  const { columns, labels, decisions, decide, method, rows_trained: rows } = model;
  byId("about").textContent =
    `${name}: ${method}, ${columns.length} columns, ${labels.length} labels, trained on ${rows} rows`;
  offer(byId("decision"), decisions.map((own) => [own, decisionText(own)]), decide);
  byId("decision-choice").hidden = decisions.length === 0;
  form.build(columns);
  file.forget();
  again = () => {};
  result.tell("Fill in a row and choose Predict.");
  byId("main").hidden = false;
}

function question(rows) {
  return model.decisions.length > 0 ? { rows, decide: byId("decision").value } : { rows };
}

/** Everything about one row that the model knows. */
async function details(row) {
  const wanted = question([row]);
  if (model.probabilities) wanted.probabilities = true;
  if (model.decisions.length > 0) wanted.sets = SETS;
  if (!model.unexplained) wanted.explain = CONTRIBUTIONS;
  const [found] = await api.predict(model.name, wanted);
  return { ...found, unexplained: model.unexplained };
}

async function showRow(row, errorPlace, title) {
  const number = ++asked;
  const section = byId("result");
  section.setAttribute("aria-busy", "true");
  complain(errorPlace);
  try {
    const found = await details(row);
    if (number !== asked) return;
    byId("result-title").textContent = title;
    result.show(found);
    reveal(section);
    again = () => showRow(row, errorPlace, title);
  } catch (error) {
    if (number === asked) failed(error, errorPlace);
  } finally {
    if (number === asked) section.setAttribute("aria-busy", "false");
  }
}

/** Scrolls to the prediction where it is below the window, as on phones. */
function reveal(section) {
  if (section.getBoundingClientRect().top > innerHeight / 2) section.scrollIntoView();
}

function failed(error, place) {
  if (error.status === 401) return askForToken(error);
  if (place === "fields-error" && form.blame(error.message)) return;
  complain(place, error.message);
}

function askForToken(error) {
  const first = byId("token-form").hidden;
  byId("token-form").hidden = false;
  complain("token-error", first ? "" : error.message);
  byId("token").focus();
}

function predictFields(event) {
  event.preventDefault();
  complain("fields-error");
  const row = form.row();
  if (row) showRow(row, "fields-error", "Prediction");
}

async function predictFile(chosen) {
  if (!chosen) return;
  const predict = (rows) => api.predict(model.name, question(rows));
  const details = (row, place) => showRow(row, "file-error", `Prediction of row ${place + 1}`);
  await file.predictFile(chosen, model.columns, predict, details);
  again = () => predictFile(chosen);
}

function download() {
  const address = URL.createObjectURL(new Blob([file.table(model.labels)], { type: "text/csv" }));
  element("a", { href: address, download: `${model.name}-predictions.csv` }).click();
  URL.revokeObjectURL(address);
}

function showSource() {
  const fields = byId("by-fields").checked;
  byId("fields-panel").hidden = !fields;
  byId("file-panel").hidden = fields;
  byId("input-title").textContent = fields ? "Row" : "Rows";
}

function dropped(event) {
  event.preventDefault();
  byId("drop").classList.toggle("over", event.type === "dragover");
  if (event.type !== "drop" || !model || event.dataTransfer.files.length === 0) return;
  byId("by-file").checked = true;
  showSource();
  predictFile(event.dataTransfer.files[0]);
}

function useToken(event) {
  event.preventDefault();
  api.useToken(byId("token").value);
  byId("token").value = "";
  start();
}

byId("model").addEventListener("change", (event) => {
  choose(event.target.value).catch((error) => failed(error, "model-error"));
});
byId("decision").addEventListener("change", () => again());
byId("token-form").addEventListener("submit", useToken);
byId("fields-panel").addEventListener("submit", predictFields);
byId("typical").addEventListener("click", form.fillTypical);
byId("clear").addEventListener("click", form.clear);
byId("filter").addEventListener("input", form.filter);
byId("use-pasted").addEventListener("click", form.usePasted);
byId("file").addEventListener("change", (event) => predictFile(event.target.files[0]));
byId("download").addEventListener("click", download);
for (const id of ["by-fields", "by-file"]) byId(id).addEventListener("change", showSource);
for (const type of ["dragover", "dragleave", "drop"]) document.addEventListener(type, dropped);
start();
