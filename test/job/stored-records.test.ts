import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { LastCommit } from "../../src/job/last-commit.js";
import { seal, unseal } from "../../src/job/sealed.js";

describe("a sealed value", () => {
  it.each([null, 0, "text", { list: [1, "ü"] }])("is read as it was: %j", (value) => {
    const sealed = seal(value);
    expect(sealed).toMatch(/^[0-9a-f]{8}/);
    expect(unseal(sealed, "task 3")).toEqual(value);
  });

  it("is refused if its text or its checksum has changed", () => {
    const sealed = seal({ a: 1 });
    for (const changed of [sealed.replace("1}", "2}"), `0${sealed}`, sealed.slice(0, -1)]) {
      expect(() => unseal(changed, "task 3")).toThrow("the record of task 3 is damaged");
    }
  });
});

describe("the number of the last commit", () => {
  function open() {
    const folder = mkdtempSync(join(tmpdir(), "rolltape-commit-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "job.commit");
    /** Returns whether a database with this many commits has all of them. */
    const accepts = (commits: number): boolean => {
      const commit = new LastCommit(folder);
      try {
        commit.require(commits);
        return true;
      } catch {
        return false;
      } finally {
        commit.close();
      }
    };
    const note = (...numbers: number[]) => {
      const commit = new LastCommit(folder);
      for (const number of numbers) commit.note(number);
      commit.close();
    };
    return { folder, path, accepts, note };
  }

  it("is the last that was noted, also by a later process", () => {
    const { accepts, note } = open();
    expect(accepts(0)).toBe(true);
    note(1, 12);
    expect([11, 12, 13].map(accepts)).toEqual([false, true, true]);
    note(13);
    expect([12, 13].map(accepts)).toEqual([false, true]);
  });

  it("leaves a file that can be read by its owner only", () => {
    const { path, note } = open();
    note(1);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, "utf8")).toMatch(/^0000000000000001 [0-9a-f]{8}\n$/);
  });

  it("says how many commits a database lacks", () => {
    const { folder, note } = open();
    note(12);
    const commit = new LastCommit(folder);
    expect(() => commit.require(9)).toThrow("its last 3 of 12 commits are missing");
    commit.close();
  });

  it.each([
    ["was written in part", (text: string) => text.slice(0, 20)],
    ["has no checksum", (text: string) => text.slice(0, 16)],
    ["has another number", (text: string) => text.replace("12 ", "99 ")],
    ["is empty", () => ""],
  ])("is unknown if its file %s", (_, change) => {
    const { path, accepts, note } = open();
    note(12);
    writeFileSync(path, change(readFileSync(path, "utf8")));
    expect(accepts(0)).toBe(true);
  });
});
