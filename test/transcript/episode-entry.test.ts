import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isEpisodeEntry } from "../../src/transcript/episode-entry.js";
import { indexLine } from "../../src/transcript/schema.js";

const ENTRY = {
  offset: 10,
  length: 20,
  type: "episode",
  session_id: "s",
  task: 3,
  task_id: "t",
  group_id: "g",
  accepted: false,
  error: "timeout",
  version: -1,
  started_at: 1.5,
  duration: 2,
  session_reward: -0.5,
  incomplete: "cut",
  reward: null,
  calls: 2,
  turns: 2,
  prompt_tokens: 5,
  completion_tokens: 6,
  finish_reasons: { stop: 1, length: 1 },
  broken: 0,
  left_out: 0,
  branches: 0,
  versions: [0, 1],
};

const scalars: readonly unknown[] = [undefined, null, "", "a", -1, 0, 1.5, 2 ** 53, Infinity, NaN, true];
const lists: readonly unknown[] = [[], [1], [1, 2], [1, 2, 3], [1, "2"]];
const objects: readonly unknown[] = [{}, { a: 1 }, { a: -1 }, { a: "1" }, JSON.parse('{"__proto__": 1}')];
const odd = fc.constantFrom(...scalars, ...lists, ...objects);

describe("isEpisodeEntry", () => {
  it("accepts an episode of an index with all fields", () => {
    expect(isEpisodeEntry(ENTRY)).toBe(true);
    expect(indexLine.safeParse(ENTRY).data).toEqual(ENTRY);
  });

  it.each([undefined, null, 5, "episode", true])("refuses %s, which is no object", (value) => {
    expect(isEpisodeEntry(value)).toBe(false);
  });

  it("accepts only what the schema returns as it is", () => {
    const name = fc.constantFrom(...Object.keys(ENTRY), "unknown", "__proto__");
    const changes = fc.array(fc.tuple(name, odd), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(changes, fc.array(name, { maxLength: 3 }), (changed, removed) => {
        const entry = new Map<string, unknown>([...Object.entries(ENTRY), ...changed]);
        for (const each of removed) entry.delete(each);
        const value: unknown = Object.fromEntries(entry);
        fc.pre(isEpisodeEntry(value));
        expect(indexLine.safeParse(value)).toEqual({ success: true, data: value });
      }),
      { numRuns: 300, maxSkipsPerRun: 1000 },
    );
  });

  it("accepts every valid change of one field", () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(ENTRY)), odd, (name, changed) => {
        const value = { ...ENTRY, [name]: changed };
        // A field without a value, which JSON cannot have, and a name that is not kept are left to the schema.
        fc.pre(changed !== undefined && !Object.hasOwn(Object(changed), "__proto__"));
        expect(isEpisodeEntry(value)).toBe(indexLine.safeParse(value).success);
      }),
      { numRuns: 2000 },
    );
  });
});
