// Checks the quoted includes of native/: each room includes only the rooms it may, and no files include each other in a
// circle. Run by `npm run lint`.
// usage: node scripts/check-native-includes.mjs [folder, default: native]
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";

const ALL_CORE = [
  "core/base",
  "core/json",
  "core/log",
  "core/session",
  "core/reply",
  "core/reply/sglang",
  "core/reply/vllm",
  "core/batch",
  "core/batch/pack",
];

/** What each room may include beside itself. A room inside another has a line of its own. */
const ROOMS = {
  "core/base": [],
  "core/json": ["core/base"],
  "core/log": ["core/base"],
  "core/session": ["core/base", "core/json"],
  "core/reply": ["core/base", "core/json", "core/session"],
  "core/reply/sglang": ["core/base", "core/json", "core/session", "core/reply"],
  "core/reply/vllm": ["core/base", "core/json", "core/session", "core/reply"],
  // batch.cc calls pack/, and pack/ reads plans: the two are one room whose files make no circle.
  "core/batch": ["core/base", "core/json", "core/session", "core/batch/pack"],
  "core/batch/pack": ["core/base", "core/json", "core/session", "core/batch"],
  memory: ["core/base"],
  binding: [...ALL_CORE, "memory"],
};
for (const room of ["test", "fuzz", "bench"]) ROOMS[room] = [...ALL_CORE, "memory", "test"];

/** Node's and N-API's headers are for the binding, in one place. */
const NAPI_HEADER = "binding/napi_setup.h";

const root = process.argv[2] ?? "native";
const problems = [];
const includes = new Map();

/** The innermost room that a file is in. */
function roomOf(file) {
  let folder = posix.dirname(file);
  while (folder !== "." && !(folder in ROOMS)) folder = posix.dirname(folder);
  return folder === "." ? undefined : folder;
}

function readIncludes(file) {
  const found = [];
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  lines.forEach((line, index) => {
    const match = /^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)/.exec(line);
    if (match === null) return;
    const [, quoted, system] = match;
    const at = `${root}/${file}:${index + 1}`;
    if (system !== undefined) checkSystem(file, at, system);
    else found.push(...checkQuoted(file, at, quoted));
  });
  return found;
}

function checkSystem(file, at, header) {
  if (!/^(napi|node|v8|uv|js_native_api)/.test(header) || file === NAPI_HEADER) return;
  problems.push(`${at}: includes <${header}>; only ${NAPI_HEADER} may include headers of Node`);
}

/** Returns the included file, as the only item, if it exists. */
function checkQuoted(file, at, quoted) {
  const target = posix.normalize(posix.join(posix.dirname(file), quoted));
  if (!existsSync(join(root, target))) {
    problems.push(`${at}: "${quoted}" does not exist; includes are relative to the file's own folder`);
    return [];
  }
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from === undefined || to === undefined) {
    problems.push(`${at}: ${from === undefined ? file : target} is in no room of scripts/check-native-includes.mjs`);
  } else if (from !== to && !ROOMS[from].includes(to)) {
    const allowed = ROOMS[from].length === 0 ? "no other room" : ROOMS[from].join(", ");
    problems.push(`${at}: ${from} must not include ${to} ("${quoted}"); it may include ${allowed}`);
  }
  return [target];
}

/** Depth-first search that reports each include which leads back to a file on the way. */
function findCircles() {
  const done = new Set();
  const way = [];
  const visit = (file) => {
    const start = way.indexOf(file);
    if (start >= 0) problems.push(`circle: ${[...way.slice(start), file].join(" → ")}`);
    if (start >= 0 || done.has(file)) return;
    way.push(file);
    for (const next of includes.get(file) ?? []) visit(next);
    way.pop();
    done.add(file);
  };
  for (const file of includes.keys()) visit(file);
}

const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.(?:h|cc)$/.test(entry.name))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
  .sort();
for (const file of files) includes.set(file, readIncludes(file));
findCircles();

for (const problem of problems) console.error(problem);
if (problems.length > 0) console.error(`${problems.length} problems; native/README.md has the order of rooms.`);
process.exitCode = problems.length > 0 ? 1 : 0;
