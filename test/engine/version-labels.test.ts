import { describe, expect, it } from "vitest";
import { type KnownLabels, VersionLabels } from "../../src/engine/version-labels.js";

describe("labels of weight versions", () => {
  it("become integers in order of appearance, the same ones every time", () => {
    const labels = new VersionLabels();
    expect(["step-1", "step-2", "step-1"].map((label) => labels.versionOf(label, 0))).toEqual([1, 2, 1]);
  });

  it("are higher than each version that an engine has named or that was set", () => {
    const labels = new VersionLabels();
    labels.note(7);
    expect(labels.versionOf("a", 3)).toBe(8);
    expect(labels.versionOf("b", 20)).toBe(21);
    labels.note(15);
    expect(labels.versionOf("c", 0)).toBe(22);
    expect(labels.known).toEqual({ versions: { a: 8, b: 21, c: 22 }, highest: 22 });
  });

  it("are known again after a restart, with the highest version", () => {
    const stored: KnownLabels[] = [];
    const labels = new VersionLabels(undefined, (known) => void stored.push(known));
    labels.versionOf("a", 4);
    labels.note(9);
    const again = new VersionLabels(stored.at(-1));
    expect([again.versionOf("a", 0), again.versionOf("b", 0)]).toEqual([5, 10]);
  });

  it("are refused after the highest integer", () => {
    const labels = new VersionLabels();
    labels.note(2 ** 31 - 1);
    expect(() => labels.versionOf("a", 0)).toThrow(
      "cannot be recorded: a text gets the next integer, and 2147483647 is in use",
    );
  });
});
