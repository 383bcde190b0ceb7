import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface Skip {
  readonly file: string;
  readonly test: string;
  readonly reason: string;
}

const ALLOWED = JSON.parse(readFileSync(join(ROOT, "test/allowed-skips.json"), "utf8")) as readonly Skip[];
const PINNED = "test/native/memory.test.ts";

/** Runs the script on a report that gives the tests of a file these statuses. */
function check(file: string, tests: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-skips-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const report = join(folder, "report.json");
  const assertionResults = Object.entries(tests).map(([fullName, status]) => ({ fullName, status }));
  writeFileSync(report, JSON.stringify({ testResults: [{ name: join(ROOT, file), assertionResults }] }));
  const args = [join(ROOT, "scripts/check-skips.mjs"), report, join(folder, "not-run.json")];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { status, lines: stdout.trimEnd().split("\n") };
}

describe("scripts/check-skips.mjs", () => {
  it("ends with status 0 if no test was skipped", () => {
    expect(check("test/a.test.ts", { "a works": "passed", "b works": "failed" })).toEqual({
      status: 0,
      lines: ["0 tests skipped, 0 of them unexpectedly"],
    });
  });

  it("prints the reason of a skip that is listed", () => {
    const { status, lines } = check(PINNED, { "pinned memory may be a shared file's": "skipped" });
    expect(status).toBe(0);
    expect(lines[0]).toMatch(/^test\/native\/memory.test.ts > pinned memory may be a shared file's: page-locked/);
  });

  it.each(["skipped", "pending", "todo"])("ends with status 1 if a test that is not listed is %s", (kind) => {
    const { status, lines } = check(PINNED, { "shared memory is mapped": kind });
    expect(status).toBe(1);
    expect(lines).toContain(`${PINNED} > shared memory is mapped: NOT ALLOWED to be skipped`);
    expect(lines).toContain("1 tests skipped, 1 of them unexpectedly");
  });

  it("does not take a listed name in another file for the listed test", () => {
    expect(check("test/a.test.ts", { "pinned memory may be a shared file's": "skipped" }).status).toBe(1);
  });
});

describe("test/allowed-skips.json", () => {
  it.each(ALLOWED)("names a test that exists in $file", ({ file, test, reason }) => {
    const source = readFileSync(join(ROOT, file), "utf8");
    const names = [...source.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, name = ""]) => name);
    expect(test === "" || names.some((name) => name !== "" && test.startsWith(name))).toBe(true);
    expect(reason).not.toBe("");
  });
});
