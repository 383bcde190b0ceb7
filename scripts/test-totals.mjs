// Sums up test runs. Each argument is `STATUS:REPORT:NAME`: the exit status of the run, the path of its report (vitest's
// JSON, JUnit XML of ctest and pytest) and its name. Prints a line for each run, the tests that failed with the first line of why, then,
// alone on the last line, `N passed, N failed`.
//
// A run that failed without a failed test in its report (it crashed, a file did not load) counts as one failed test.
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";

const runs = process.argv.slice(2).map(readRun);
for (const { name, passed, failed, skipped, failures } of runs) {
  process.stdout.write(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  for (const failure of failures) process.stdout.write(`  failed: ${failure}\n`);
}
process.stdout.write(`${sum("passed")} passed, ${sum("failed")} failed\n`);

function sum(kind) {
  return runs.reduce((total, run) => total + run[kind], 0);
}

function readRun(argument) {
  const [status, report, ...name] = argument.split(":");
  const counts = readReport(report);
  const failed = status === "0" ? counts.failed : Math.max(counts.failed, 1);
  return { name: name.join(":"), ...counts, failed };
}

function readReport(file) {
  if (!existsSync(file)) return { passed: 0, failed: 0, skipped: 0, failures: [] };
  const text = readFileSync(file, "utf8");
  return file.endsWith(".json") ? vitestCounts(JSON.parse(text)) : junitCounts(text);
}

function vitestCounts({ numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults }) {
  const brokenFiles = testResults.filter(({ status, assertionResults }) => {
    return status === "failed" && !assertionResults.some((test) => test.status === "failed");
  });
  return {
    passed: numPassedTests,
    failed: numFailedTests + brokenFiles.length,
    skipped: numPendingTests + numTodoTests,
    failures: testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === "failed")
        .map(({ fullName, failureMessages: [why = ""] }) => `${relative(".", name)} > ${fullName}: ${firstLine(why)}`),
    ),
  };
}

function firstLine(text) {
  return text.split("\n", 1)[0].slice(0, 300);
}

function junitCounts(xml) {
  const suite = /<testsuite\b[^>]*>/.exec(xml)?.[0] ?? "";
  const count = (name) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(suite)?.[1] ?? 0);
  const failed = count("failures") + count("errors");
  const skipped = count("skipped") + count("disabled");
  const failures = [...xml.matchAll(/<testcase\b[^>]*?\bname="([^"]*)"[^>]*>\s*<(?:failure|error)\b/g)].map(
    ([, name]) => name,
  );
  return { passed: count("tests") - failed - skipped, failed, skipped, failures };
}
