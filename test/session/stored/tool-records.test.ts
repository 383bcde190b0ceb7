import { expect, it } from "vitest";
import { sealText } from "../../../src/session/stored/sealed-json.js";
import { ToolRecords } from "../../../src/session/stored/tool-records.js";
import type { Change } from "../../../src/storage/index.js";

const LIST = { key: "k", text: '[{"type":"function"}]' };

/** A table that has the changes that were applied to it, and records of the tools in it. */
function open(table = new Map<string, Buffer>()) {
  const storage = {
    get: (_: string, key: Uint8Array) => table.get(String(key)),
    *keys(_: string, prefix: Uint8Array = Buffer.alloc(0)) {
      for (const key of table.keys()) if (key.startsWith(String(prefix))) yield Buffer.from(key);
    },
  };
  const apply = (changes: readonly Change[]) => {
    for (const { key, value } of changes) {
      if (value) table.set(String(key), value as Buffer);
      else table.delete(String(key));
    }
    return changes.length;
  };
  const records = new ToolRecords(storage as unknown as ConstructorParameters<typeof ToolRecords>[0]);
  return { records, apply, table, read: (key: string) => records.read(key, () => "task-0") };
}

it("stores a list of tools once, and each of its sessions once", () => {
  const { records, apply, table, read } = open();
  expect([0, 0, 1].map((number) => apply(records.add(number, LIST)))).toEqual([2, 0, 1]);
  expect([...table.keys()]).toEqual(["tools/k", "tools/k/0", "tools/k/1"]);
  expect([read("k"), read("other")]).toEqual([LIST.text, undefined]);
});

it("removes a list with the last session that uses it", () => {
  const { records, apply, table } = open();
  for (const number of [0, 1]) apply(records.add(number, LIST));
  apply(records.add(1, { ...LIST, key: "other" }));
  apply(records.remove(1));
  expect([...table.keys()]).toEqual(["tools/k", "tools/k/0"]);
  expect(apply(records.remove(1))).toBe(0);
  apply(records.remove(0));
  expect(table.size).toBe(0);
  expect(apply(records.add(2, LIST))).toBe(2);
});

it("finds the lists of an earlier process, and removes what no session needs", () => {
  const before = open();
  for (const number of [0, 1]) before.apply(before.records.add(number, LIST));
  before.apply(before.records.add(1, { ...LIST, key: "other" }));
  before.table.set("registry", sealText("{}"));
  const { records, apply, table } = open(before.table);
  expect(apply(records.restore((number) => number === 0))).toBe(3);
  expect([...table.keys()]).toEqual(["tools/k", "tools/k/0", "registry"]);
  expect(apply(records.add(0, LIST))).toBe(0);
  apply(records.remove(0));
  expect([...table.keys()]).toEqual(["registry"]);
});

it("names the session and the list if the list is damaged", () => {
  const { table, read } = open();
  table.set("tools/k", Buffer.from("damaged"));
  expect(() => read("k")).toThrow("Session task-0 is damaged: the list of tools k: its checksum is wrong.");
});
