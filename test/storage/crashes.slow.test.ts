import { readdirSync } from "node:fs";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import type { Change } from "../../src/storage/index.js";
import { crash, head, Model, newFolder, openStorage, readAll, readIntact, record } from "./stored-folder.js";

/** A storage has every confirmed change, however it was closed. */

vi.setConfig({ testTimeout: 120_000 });

const value = fc.oneof(fc.nat(100), fc.nat(5000), fc.nat(70_000)).map((length) => Buffer.alloc(length, length % 251));
const change = fc.oneof(
  fc
    .tuple(fc.nat(5), fc.nat(9), fc.option(value))
    .map(([session, index, bytes]) => record(session, index, bytes ?? undefined)),
  fc.tuple(fc.nat(5), fc.option(fc.string())).map(([session, text]) => head(session, text ?? undefined)),
  fc
    .tuple(fc.constantFrom("a", "b", "c"), fc.option(value))
    .map(([name, bytes]): Change => ({ table: "meta", key: Buffer.from(name), value: bytes ?? undefined })),
);
const step = fc.oneof(
  { weight: 8, arbitrary: fc.array(change, { minLength: 1, maxLength: 6 }) },
  { weight: 1, arbitrary: fc.constant("close" as const) },
  { weight: 2, arbitrary: fc.constant("crash" as const) },
);

test("has every confirmed change after any closes and crashes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
      const model = new Model();
      let directory = newFolder();
      let storage = await openStorage(directory);
      for (const each of steps) {
        if (each === "close") await storage.close();
        else if (each === "crash") directory = crash(directory);
        else {
          storage.write(each);
          model.write(each);
          await storage.flushed();
          continue;
        }
        storage = await openStorage(directory);
        expect(readAll(storage)).toEqual(model.all);
      }
      await storage.close();
      // A folder to which nothing was written has no storage.
      const hasStorage = readdirSync(directory).includes("manifest");
      const found = hasStorage ? readIntact(directory) : { values: {}, damage: [] };
      expect(found).toEqual({ values: model.all, damage: [] });
    }),
    { numRuns: 60 },
  );
});
