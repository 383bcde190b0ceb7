import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TextWindows } from "../../../src/session/turn/text-windows.js";

const text = fc.string({ unit: fc.constantFrom("a", "b", "ü", "😀", " "), minLength: 64, maxLength: 120 });
const collapse = (given: string) => given.replace(/\s+/g, " ").trim();

describe("TextWindows", () => {
  it("finds every text whose beginning occurs in another one", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), fc.nat(5), text, text, (texts, which, before, after) => {
        const windows = new TextWindows();
        texts.forEach((each, i) => windows.add(each, i));
        const chosen = texts[which] ?? "";
        const searched = collapse(`${before} ${chosen} ${after}`);
        const expected = texts.flatMap((each, i) => {
          const start = collapse(each).slice(0, 64);
          return start.length === 64 && searched.includes(start) ? [i] : [];
        });
        const found = windows.find(searched);
        for (const index of expected) {
          const at = searched.indexOf(collapse(texts[index] ?? "").slice(0, 64));
          const hit = found.find((each) => each.at === at);
          expect(hit?.numbers).toContain(index);
        }
      }),
    );
  });

  it("finds nothing in an unrelated text, in a short one and after it was cleared", () => {
    const windows = new TextWindows();
    const summary = "The tests of the parser fail because a comma is missing in the grammar.";
    windows.add(summary, 7);
    expect(windows.find(`So: ${summary}`)).toEqual([{ numbers: [7], at: 4 }]);
    expect(windows.find("x".repeat(1000))).toEqual([]);
    expect(windows.find(summary.slice(0, 63))).toEqual([]);
    windows.clear();
    expect([windows.isEmpty, windows.find(summary)]).toEqual([true, []]);
  });

  it("reports the first four places of a text that is repeated", () => {
    const windows = new TextWindows();
    windows.add("a".repeat(64), 1);
    expect(windows.find("a".repeat(1000)).map(({ at }) => at)).toEqual([0, 1, 2, 3]);
  });

  it("ignores texts that are shorter than a window", () => {
    const windows = new TextWindows();
    windows.add("short", 0);
    expect(windows.isEmpty).toBe(true);
  });
});
