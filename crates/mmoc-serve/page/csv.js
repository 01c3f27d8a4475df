// Tables as text: RFC 4180, with commas, semicolons or tabs.

const SEPARATORS = [",", ";", "\t"];

/** The separator that the first line has most of. */
export function separatorOf(text) {
  const line = text.slice(0, text.search(/[\r\n]|$/)).replace(/"[^"]*"/g, "");
  const count = (separator) => line.split(separator).length;
  return SEPARATORS.reduce((best, own) => (count(own) > count(best) ? own : best));
}

/** The records of a table, each a list of cells. An error if quotes do not match. */
export function parse(text, separator = separatorOf(text)) {
  const plain = `[^"${separator}\\r\\n][^${separator}\\r\\n]*|`;
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|(${plain}))(${separator}|\\r?\\n|\\r|$)`, "y");
  const records = [];
  let record = [];
  cell.lastIndex = text.startsWith("\ufeff") ? 1 : 0;
  while (cell.lastIndex < text.length || record.length > 0) {
    const found = cell.exec(text);
    if (!found) throw new Error(`The quotes of a cell in line ${records.length + 1} do not match.`);
    const [, quoted, bare, end] = found;
    record.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end === separator) continue;
    if (record.length > 1 || record[0] !== "") records.push(record);
    record = [];
  }
  return records;
}

// Programs that open tables take a cell that begins like this for a formula.
const isFormula = (text) => /^[=+\-@\t\r]/.test(text) && !Number.isFinite(Number(text));

const written = (cell) => {
  const text = isFormula(String(cell)) ? `'${cell}` : String(cell);
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** A table as text. */
export const write = (records) => records.map((record) => `${record.map(written).join(",")}\r\n`).join("");
