import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StopStringSearch } from "../../../src/engine/embedded/stop-string-search.js";

/** Tokens are single bytes, the worst case of a byte-level vocabulary. */
const decode = (bytes: readonly number[]) => Buffer.from(bytes).toString("utf8");

function firstMatch(stops: readonly string[], text: string): { at: number; found: string | undefined } {
  const strings = new StopStringSearch(stops, decode);
  const output: number[] = [];
  for (const byte of Buffer.from(text)) {
    output.push(byte);
    const found = strings.find(output);
    if (found !== undefined) return { at: output.length, found };
  }
  return { at: -1, found: undefined };
}

describe("StopStringSearch", () => {
  it("finds a stop string at the token that completes it", () => {
    expect(firstMatch(["stop"], "do not stop here")).toEqual({ at: 11, found: "stop" });
    expect(firstMatch(["é!"], "caf\u00e9! ok")).toEqual({ at: 6, found: "é!" });
  });

  it("finds the first stop string of the whole output, across any number of tokens", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "é", "中"), maxLength: 60 });
    const stops = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "é", "中"), minLength: 1, maxLength: 6 }), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(stops, text, (strings, sample) => {
        const ends = strings.map((stop) => findEnd(stop, sample)).filter((end) => end > 0);
        expect(firstMatch(strings, sample).at).toBe(ends.length > 0 ? Math.min(...ends) : -1);
      }),
    );
  });

  it("returns the stop string that begins first if a token completes several", () => {
    expect(firstMatch(["b", "ab"], "xab").found).toBe("ab");
  });

  it("ignores empty stop strings", () => {
    expect(firstMatch([""], "abc").found).toBeUndefined();
    expect(firstMatch([], "abc").found).toBeUndefined();
  });
});

/** Returns the number of bytes up to the end of the first occurrence; -1 without one. */
function findEnd(stop: string, sample: string): number {
  const index = sample.indexOf(stop);
  return index < 0 ? -1 : Buffer.byteLength(sample.slice(0, index + stop.length));
}
