// The fields of one row.

import { faultOf, valueOf } from "./cells.js";
import { parse } from "./csv.js";
import { byId, complain, element } from "./dom.js";

// More columns than this are searched and scrolled.
const MANY = 24;

let fields = [];

/** Makes a field for each column. */
export function build(columns) {
  fields = columns.map(field);
  byId("fields").replaceChildren(...fields.map((own) => own.whole));
  byId("fields").classList.toggle("many", columns.length > MANY);
  byId("filter-choice").hidden = columns.length <= MANY;
  byId("typical").hidden = !columns.some((column) => column.typical != null);
  byId("filter").value = "";
  filter();
  fillTypical();
}

function field(column, place) {
  const [id, fault] = [`column-${place}`, element("p", { className: "error", id: `fault-${place}` })];
  const input = column.kind === "nominal" ? nominal(column) : number();
  Object.assign(input, { id });
  input.setAttribute("aria-describedby", fault.id);
  const whole = element("div", { className: "field" }, element("label", { htmlFor: id }, column.name), input, fault);
  const own = { column, input, fault, whole };
  input.addEventListener("change", () => check(own));
  return own;
}

const number = () => element("input", { inputMode: "decimal", autocomplete: "off" });

function nominal(column) {
  const choices = column.values.map((value) => element("option", { value }, value));
  return element("select", {}, element("option", { value: "" }, "missing"), ...choices);
}

function check({ column, input, fault }) {
  fault.textContent = faultOf(column, input.value);
  input.setAttribute("aria-invalid", fault.textContent !== "");
  return fault.textContent === "";
}

/** The row, or nothing if a field has a fault, which is shown there. */
export function row() {
  const wrong = fields.filter((own) => !check(own));
  if (wrong.length > 0) {
    show(wrong[0]);
    return null;
  }
  return Object.fromEntries(fields.map(({ column, input }) => [column.name, valueOf(column, input.value)]));
}

/** Points to the field that a message of the server names; whether there is one. */
export function blame(message) {
  const named = fields.find(({ column }) => message.includes(`'${column.name}'`));
  if (!named) return false;
  named.fault.textContent = message;
  named.input.setAttribute("aria-invalid", "true");
  show(named);
  return true;
}

function show({ whole, input }) {
  whole.hidden = false;
  input.focus();
}

function fill(textOf) {
  for (const own of fields) {
    own.input.value = textOf(own.column) ?? "";
    check(own);
  }
}

/** Fills in what is typical of the training rows. */
export const fillTypical = () => fill((column) => column.typical);

/** Empties all fields. */
export const clear = () => fill(() => "");

/** Shows the columns whose names have the text that is looked for. */
export function filter() {
  const wanted = byId("filter").value.trim().toLowerCase();
  for (const { column, whole } of fields) whole.hidden = !column.name.toLowerCase().includes(wanted);
  const shown = fields.filter(({ whole }) => !whole.hidden).length;
  byId("filter-count").textContent = fields.length > MANY ? `${shown} of ${fields.length} columns` : "";
}

/** Fills in a row that was copied from a table. */
export function usePasted() {
  complain("paste-error");
  try {
    const [first, second] = parse(byId("pasted").value);
    if (!first) throw new Error("There is no row.");
    const names = second ? first.map((name) => name.trim()) : fields.map(({ column }) => column.name);
    fillRecord(names, second ?? first);
    byId("filter").value = "";
    filter();
  } catch (error) {
    complain("paste-error", error.message);
  }
}

function fillRecord(names, record) {
  if (record.length < names.length) {
    throw new Error(`The row has ${record.length} values, and there are ${names.length} columns.`);
  }
  const missing = fields.filter(({ column }) => !names.includes(column.name));
  if (missing.length === fields.length) throw new Error("The header has none of the columns of the model.");
  fill((column) => record[names.indexOf(column.name)]?.trim());
}
