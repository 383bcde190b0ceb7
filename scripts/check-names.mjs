// Checks that each exported name of src has one definition, and prints names with several and their files. Run by `npm run lint`.
// usage: node scripts/check-names.mjs [folder, default: src]
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const DEFINITION =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:class|interface|type|const|let|function\*?|enum) ([\w$]+)/gm;

const root = process.argv[2] ?? "src";
/** The files that define each name. A schema and its type may share a name in one file. */
const definitions = new Map();

for (const path of readdirSync(root, { recursive: true })) {
  if (!/\.tsx?$/.test(path)) continue;
  const file = join(root, path);
  for (const [, name] of readFileSync(file, "utf8").matchAll(DEFINITION)) {
    if (!definitions.has(name)) definitions.set(name, new Set());
    definitions.get(name).add(file);
  }
}

if (definitions.size === 0) throw new Error(`${root} exports no names.`);
const repeated = [...definitions].filter(([, files]) => files.size > 1);
for (const [name, files] of repeated) console.error(`${name} has several definitions: ${[...files].join(", ")}`);
console.log(`${definitions.size} exported names, ${repeated.length} with several definitions`);
process.exitCode = repeated.length > 0 ? 1 : 0;
