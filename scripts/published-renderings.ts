// Compares how Rolltape and Python's Jinja2 render the published chat templates (Jinja2 is needed).
//
//   npm run test:renderings                 prints a diff for each rendering that is not Python's; exit status 1
//   npm run test:renderings -- NAME…        the same for some templates only
//   npm run test:renderings -- --update     writes the digests of Python's renderings
//
// PYTHON names the interpreter; python3 by default.
//
// The tests know only digests of the renderings, because templates and what they print are other projects' text.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  digestRenderings,
  PUBLISHED_VARIABLES,
  renderOrErr,
  withoutReason,
} from "../test/model/jinja/published-renderings.js";
import { digest, publishedDigests, publishedTemplate, publishedTemplates } from "../test/model/support/golden.js";
import { runPython } from "./run-python.js";

const FIXTURES = fileURLToPath(new URL("../test/fixtures/conversation/jinja/", import.meta.url));

const print = (line: string) => void process.stdout.write(`${line}\n`);
const chosen = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const names = chosen.length > 0 ? chosen : publishedTemplates;
const python = renderWithPython(names);
if (process.argv.includes("--update")) update();
else compare();

/** Python's output for each template and conversation. */
function renderWithPython(templates: readonly string[]): Map<string, string> {
  const cases = templates.flatMap((name) =>
    Object.values(PUBLISHED_VARIABLES).map((json) => [publishedTemplate(name), json]),
  );
  const needed = { module: "jinja2", install: "install it (Debian: apt-get install python3-jinja2)" };
  const texts = runPython<string[]>(needed, [`${FIXTURES}render.py`, "--stdin"], cases);
  return new Map(cases.map((given, i) => [given.join("\0"), withoutReason(texts[i] ?? "")]));
}

function renderedByPython(source: string, json: string): string {
  const text = python.get([source, json].join("\0"));
  if (text === undefined) throw new Error("Python rendered no such case");
  return text;
}

function update(): void {
  const digests = names.map((name) => [name, digestRenderings(name, renderedByPython)]);
  const all = { ...publishedDigests, ...Object.fromEntries(digests) };
  const file = `${FIXTURES}published.digests.json`;
  writeFileSync(
    file,
    `${JSON.stringify(Object.fromEntries(Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1))), null, 1)}\n`,
  );
  print(`${names.length} templates: digests are written to ${file}`);
}

function compare(): void {
  let same = 0;
  let different = 0;
  for (const name of names) {
    const source = publishedTemplate(name);
    const known = publishedDigests[name];
    if (digest(source) !== known?.template) {
      print(`${name}: the template is not the one that was digested; --update takes the new one`);
      different++;
    }
    for (const [key, json] of Object.entries(PUBLISHED_VARIABLES)) {
      const ours = renderOrErr(source, json);
      const theirs = renderedByPython(source, json);
      if (ours === theirs) same++;
      else different++;
      if (known?.renderings[key] !== (theirs === "ERR" ? theirs : digest(theirs))) {
        print(`${name} ${key}: the committed digest is not that of Python's rendering`);
        different++;
      }
      if (ours !== theirs) process.stdout.write(diff(`${name} ${key}`, theirs, ours));
    }
  }
  print(`${same} renderings are identical; ${different} differences`);
  process.exitCode = different === 0 ? 0 : 1;
}

function diff(what: string, theirs: string, ours: string): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-renderings-"));
  try {
    writeFileSync(join(folder, "python"), theirs);
    writeFileSync(join(folder, "rolltape"), ours);
    const labels = ["--label", `${what}, Python`, "--label", `${what}, Rolltape`];
    return spawnSync("diff", ["-u", ...labels, join(folder, "python"), join(folder, "rolltape")]).stdout.toString();
  } finally {
    rmSync(folder, { recursive: true });
  }
}
