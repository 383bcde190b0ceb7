import { describe, expect, it } from "vitest";
import {
  openBytes,
  openJson,
  openText,
  sealJson,
  sealPieces,
  sealText,
} from "../../../src/session/stored/sealed-json.js";
import { runAtOnce } from "../../../src/support/async/steps.js";

const VALUE = { text: "é😀", list: [1, null] };

describe("a sealed value", () => {
  it("is read as it was written", () => {
    expect(openJson(sealJson(VALUE))).toEqual(VALUE);
  });

  it("is the same if its text is written in pieces", () => {
    const pieces = ["a".repeat(1000), "é😀", "", '"\u2028'];
    expect(runAtOnce(sealPieces(pieces)).equals(sealText(pieces.join("")))).toBe(true);
  });

  it("of some megabytes is checked to its last byte, a megabyte in each step", () => {
    const sealed = sealText("a".repeat(3 << 20));
    expect(openText(sealed)).toHaveLength(3 << 20);
    expect([...openBytes(sealed)]).toHaveLength(2);
    expect([...openBytes(sealText("short"))]).toEqual([]);
    sealed[sealed.length - 1] = 0;
    expect(() => openText(sealed)).toThrow("its checksum is wrong");
  });

  it("is refused if any bit is changed, or if bytes are missing", () => {
    const sealed = sealJson(VALUE);
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const damaged = Buffer.from(sealed);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => openJson(damaged)).toThrow("its checksum is wrong");
    }
    for (let length = 0; length < sealed.length; length++)
      expect(() => openJson(sealed.subarray(0, length))).toThrow("its checksum is wrong");
  });
});
