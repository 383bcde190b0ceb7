// Fails unless all packages have one version: package.json, and python/pyproject.toml with the packages that it requires.
// usage: node scripts/check-versions.mjs [version]   (default: that of package.json)
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (file) => readFileSync(join(root, file), "utf8");
const npm = JSON.parse(read("package.json")).version;
const expected = process.argv[2] ?? npm;

const pyproject = read("python/pyproject.toml");
const own = /^version = "(.+)"$/m.exec(pyproject)?.[1];
const required = [...pyproject.matchAll(/"(rolltape-[a-z]+)==(.+?)"/g)].map(([, name, version]) => [name, version]);
const found = [["package.json", npm], ["python/pyproject.toml", own], ...required];
const wrong = found.filter(([, version]) => version !== expected);
for (const [where, version] of wrong) console.error(`${where} has version ${version}, not ${expected}`);
if (wrong.length > 0) process.exitCode = 1;
