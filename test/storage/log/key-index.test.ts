import fc from "fast-check";
import { expect, test } from "vitest";
import { recordKey, sessionKey } from "../../../src/session/stored/keys.js";
import { KeyIndex } from "../../../src/storage/log/key-index.js";

const kinds = ["interaction", "outcome", "response"] as const;
const step = fc.oneof(
  fc.record({ session: fc.nat(3), kind: fc.constantFrom(...kinds), index: fc.nat(5), place: fc.nat(3) }),
  fc.record({ session: fc.nat(3), place: fc.nat(3) }),
  fc.record({
    table: fc.constantFrom("meta" as const, "leases" as const),
    name: fc.constantFrom("a", "ab", "aÿ", "b"),
    place: fc.nat(3),
  }),
);

test("has the last place of each key, and its keys in ascending order", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const index = new KeyIndex();
      const expected = new Map<string, number>();
      for (const each of steps) {
        const [table, key] =
          "name" in each
            ? ([each.table, Buffer.from(each.name)] as const)
            : "kind" in each
              ? (["records", recordKey(each.session, each.kind, each.index)] as const)
              : (["sessions", sessionKey(each.session)] as const);
        const name = `${table} ${key.toString("hex")}`;
        expect(index.set(table, key, each.place)).toBe(expected.get(name) ?? 0);
        if (each.place === 0) expected.delete(name);
        else expected.set(name, each.place);
        expect(index.get(table, key)).toBe(each.place);
      }
      for (const table of ["meta", "sessions", "records", "leases"] as const) {
        const found = [...index.keys(table, Buffer.alloc(0))].map(({ key, place }) => [
          `${table} ${key.toString("hex")}`,
          place,
        ]);
        expect(found).toEqual(
          [...expected].filter(([name]) => name.startsWith(table)).sort(([a], [b]) => (a < b ? -1 : 1)),
        );
      }
    }),
    { numRuns: 300 },
  );
});

test("finds the keys of a session, and those that begin with a text", () => {
  const index = new KeyIndex();
  for (const session of [1, 2]) for (const i of [0, 1]) index.set("records", recordKey(session, "outcome", i), 7);
  for (const name of ["tools/b", "tools/a", "state"]) index.set("meta", Buffer.from(name), 7);
  expect([...index.keys("records", sessionKey(2))].map(({ key }) => key)).toEqual(
    [0, 1].map((i) => recordKey(2, "outcome", i)),
  );
  expect([...index.keys("meta", Buffer.from("tools/"))].map(({ key }) => key.toString())).toEqual([
    "tools/a",
    "tools/b",
  ]);
});

test("refuses an index that would take memory for all below it", () => {
  expect(() => new KeyIndex().set("records", recordKey(1, "outcome", 2 ** 30), 7)).toThrow(
    "must have an index below 16777216; received 1073741824",
  );
});
