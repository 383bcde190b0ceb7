import fc from "fast-check";
import { expect, it } from "vitest";
import type { GenerateCall } from "../../../src/engine/engine.js";
import { StopWatch } from "../../../src/engine/servers/call/stop-watch.js";
import { native } from "../../../src/native/addon.js";

/** Stop strings are found at the same token, however the tokens of a reply arrive. */

/** Tokens are texts of a few bytes. One has none, one ends within a character. */
const VOCABULARY = ["a", "b", "ab", "ba", "", "\u00e9", "aab"].map((text) => Buffer.from(text));
VOCABULARY.push(Buffer.from([0xc3]), Buffer.from([0xa9]));

/** Adds the tokens in portions of this size, and returns the stop string that was found and the tokens that are left. */
function watch(stop: readonly string[], ids: readonly number[], portion: number) {
  const generation = new native.Generation();
  const call = { generation, prompt: { length: 1 }, sampling: { stop }, tokenBytes: (id: number) => VOCABULARY[id] };
  const stops = StopWatch.create(call as unknown as GenerateCall);
  for (let at = 0; at < ids.length && stops?.matched === undefined; at += portion) {
    const added = ids.slice(at, at + portion);
    generation.append(Int32Array.from(added), new Float32Array(added.length), 0);
    stops?.read();
  }
  return { matched: stops?.matched, tokens: [...generation.ids()] };
}

/** Searches the whole text after each token. */
function search(stop: readonly string[], ids: readonly number[]) {
  for (let count = 1; count <= ids.length; count++) {
    const tokens = ids.slice(0, count);
    const text = Buffer.concat(tokens.map((id) => VOCABULARY[id] ?? Buffer.alloc(0)));
    const found = stop
      .map((matched) => ({ matched, tokens, start: text.indexOf(matched) }))
      .filter(({ start }) => start >= 0)
      .sort((one, other) => one.start - other.start);
    if (found[0]) return { matched: found[0].matched, tokens };
  }
  return { matched: undefined, tokens: [...ids] };
}

it("ends the output with the token that completes the first stop string, in portions of any size", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "\u00e9"), minLength: 1, maxLength: 4 });
  const ids = fc.array(fc.nat({ max: VOCABULARY.length - 1 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(
      fc.array(letters, { minLength: 1, maxLength: 3 }),
      ids,
      fc.integer({ min: 1, max: 30 }),
      (stop, all, n) => {
        expect(watch(stop, all, n)).toEqual(search(stop, all));
      },
    ),
    { numRuns: 500 },
  );
});
