import { ClassicLevel } from "classic-level";
import type { Change } from "../../../src/storage/index.js";
import type { Contender } from "./store.js";

const ENCODING = { keyEncoding: "buffer", valueEncoding: "buffer" } as const;

/** LevelDB with synchronous batches. Its tables are one key space, told apart by the first letter of the key. */
export const level: Contender = {
  name: "classic-level",
  open: async (directory) => {
    const db = new ClassicLevel<Buffer, Buffer>(directory, ENCODING);
    await db.open();
    return {
      commit: (changes) => db.batch(changes.map(toOperation), { sync: true }),
      readRecords: async (prefix) => {
        let bytes = 0;
        const start = toKey("records", prefix);
        for await (const value of db.values({ gte: start, lt: Buffer.concat([start, Buffer.alloc(6, 0xff)]) })) {
          bytes += value.length;
        }
        return bytes;
      },
      close: () => db.close(),
    };
  },
};

function toOperation({ table, key, value }: Change) {
  const own = toKey(table, key);
  return value === undefined
    ? ({ type: "del", key: own } as const)
    : ({ type: "put", key: own, value: Buffer.from(value.buffer, value.byteOffset, value.byteLength) } as const);
}

function toKey(table: string, key: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(table.slice(0, 1)), key]);
}
