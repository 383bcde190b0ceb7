// Fails if a test was skipped that test/allowed-skips.json does not list. Each argument is the path of a vitest JSON
// report; reports that do not exist (a step that did not run) are left out.
//
// An allowed skip names a file, how the full name of the test begins ("" for the whole file) and the reason.
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const allowed = JSON.parse(readFileSync(`${ROOT}test/allowed-skips.json`, "utf8"));

const skipped = process.argv.slice(2).filter(existsSync).flatMap(readSkipped);
const unexpected = skipped.filter((test) => reasonFor(test) === undefined);
for (const test of skipped) {
  process.stdout.write(`${test.file} > ${test.name}: ${reasonFor(test) ?? "NOT ALLOWED to be skipped"}\n`);
}
process.stdout.write(`${skipped.length} tests skipped, ${unexpected.length} of them unexpectedly\n`);
if (unexpected.length > 0) {
  process.stdout.write("Make these tests run, or add them with a reason to test/allowed-skips.json.\n");
  process.exitCode = 1;
}

function readSkipped(report) {
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  return testResults.flatMap(({ name: path, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== "passed" && status !== "failed")
      .map(({ fullName }) => ({ file: relative(ROOT, path), name: fullName.trim() })),
  );
}

function reasonFor({ file, name }) {
  return allowed.find((skip) => skip.file === file && name.startsWith(skip.test))?.reason;
}
