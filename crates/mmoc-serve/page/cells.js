// From the text of cells to the values of a row.

const MISSING = ["", "?", "NA", "NaN", "nan", "null"];

/** The value of a cell. Text that is no number stays text, and the server says what is wrong with it. */
export function valueOf(column, text) {
  const trimmed = text.trim();
  if (column.kind === "nominal") return MISSING.includes(trimmed) && !column.values.includes(trimmed) ? null : trimmed;
  if (MISSING.includes(trimmed)) return null;
  const number = Number(trimmed);
  return Number.isFinite(number) ? number : trimmed;
}

/** What is wrong with the text of a cell; nothing if it can be used. */
export function faultOf(column, text) {
  const value = valueOf(column, text);
  if (value === null) return "";
  if (column.kind === "nominal") return column.values.includes(value) ? "" : "This is none of its values.";
  return typeof value === "number" ? "" : "This is not a number.";
}

/** The row of a record of a table with these names. Other columns are left out. */
export function rowOf(columns, names, record) {
  const places = new Map(names.map((name, place) => [name, place]));
  const known = columns.filter((column) => places.has(column.name));
  const cell = (column) => record[places.get(column.name)] ?? "";
  return Object.fromEntries(known.map((column) => [column.name, valueOf(column, cell(column))]));
}
