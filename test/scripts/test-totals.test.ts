import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const SCRIPT = fileURLToPath(new URL("../../scripts/test-totals.mjs", import.meta.url));

/** Returns the lines that the script prints for these runs: [status, report file name, name, report]. */
function totals(...runs: [number, string, string, string?][]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-totals-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const args = runs.map(([status, file, name, report]) => {
    if (report !== undefined) writeFileSync(join(folder, file), report);
    return `${status}:${join(folder, file)}:${name}`;
  });
  return execFileSync(process.execPath, [SCRIPT, ...args], { encoding: "utf8" })
    .trimEnd()
    .split("\n");
}

function vitestReport(counts: { passed?: number; failed?: number; pending?: number; brokenFiles?: number }): string {
  const { passed = 0, failed = 0, pending = 0, brokenFiles = 0 } = counts;
  const failedTest = { status: "failed", fullName: "adds", failureMessages: ["Error: 2 is not 3\n    at a.test.ts:1"] };
  const failedFile = { name: resolve("a.test.ts"), status: "failed", assertionResults: [failedTest] };
  const brokenFile = { name: resolve("b.test.ts"), status: "failed", assertionResults: [] };
  return JSON.stringify({
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: pending,
    numTodoTests: 1,
    testResults: [...(failed > 0 ? [failedFile] : []), ...Array.from({ length: brokenFiles }, () => brokenFile)],
  });
}

const CTEST = `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="(empty)"
	tests="9"
	failures="2"
	disabled="1"
	skipped="1"
	hostname=""
	>
	<testcase name="tests=&quot;7&quot;" status="run"/>
	<testcase name="packs" status="fail"><failure message=""/></testcase>
</testsuite>`;

describe("scripts/test-totals.mjs", () => {
  it("sums up the reports of vitest and ctest", () => {
    const vitest = vitestReport({ passed: 40, failed: 3, pending: 2 });
    expect(totals([1, "a.json", "npm test", vitest], [8, "b.xml", "C++: core", CTEST])).toEqual([
      "npm test: 40 passed, 3 failed, 3 skipped",
      "  failed: a.test.ts > adds: Error: 2 is not 3",
      "C++: core: 5 passed, 2 failed, 2 skipped",
      "  failed: packs",
      "45 passed, 5 failed",
    ]);
  });

  it("counts a test file that does not load as one failed test", () => {
    const vitest = vitestReport({ passed: 40, failed: 1, brokenFiles: 2 });
    expect(totals([1, "a.json", "npm test", vitest]).at(-1)).toBe("40 passed, 3 failed");
  });

  it("counts a failed run without a failed test or without a report as one failed test", () => {
    const vitest = vitestReport({ passed: 40 });
    expect(totals([1, "a.json", "npm test", vitest]).at(-1)).toBe("40 passed, 1 failed");
    expect(totals([134, "none.json", "npm test"]).at(-1)).toBe("0 passed, 1 failed");
  });

  it("counts nothing if nothing ran", () => {
    expect(totals()).toEqual(["0 passed, 0 failed"]);
    expect(totals([0, "none.json", "skipped"]).at(-1)).toBe("0 passed, 0 failed");
  });
});
