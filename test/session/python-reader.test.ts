import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TrajectoryStore } from "../../src/session/trajectory-store.js";
import { batchOptions, isPackable, manySessions } from "../helpers/export-model/arbitraries.js";
import { recordInto } from "../helpers/export-model/record.js";
import { noPython, PythonProgram } from "../helpers/python.js";
import { readSafetensors, type SafeTensors } from "../helpers/safetensors.js";
import { sharedDirectory } from "../helpers/shared-directory.js";
import { turn, user } from "../helpers/turn.js";

const PROGRAM = fileURLToPath(new URL("../helpers/safe_open.py", import.meta.url));
const reader = () => new PythonProgram<SafeTensors | { refused: string }>(PROGRAM);

describe.skipIf(noPython)("Python's safetensors reader", () => {
  it("opens a shared batch and finds the batch's tensors in it", async () => {
    const store = new TrajectoryStore({ sharedMemory: { directory: sharedDirectory() } });
    const python = reader();
    const packable = batchOptions.filter(isPackable);
    const property = fc.asyncProperty(manySessions({ undelivered: false }), packable, async ({ exported }, options) => {
      for (const session of exported) recordInto(store, session);
      const ids = exported.map((session) => session.sessionId);
      const batch = await store.exportBatch(ids, { ...options, onMismatch: "split", memory: "shared" });
      const seen = await python.ask(batch.path ?? "");
      expect(seen).toEqual(readSafetensors(batch.bytes));
      batch.acknowledge();
    });
    await fc.assert(property, { numRuns: 100 });
  });

  it.each<[string, (file: Buffer) => Buffer]>([
    ["is a byte too long", (file) => Buffer.concat([file, Buffer.of(0)])],
    ["is a byte too short", (file) => file.subarray(0, -1)],
    ["begins with a wrong header length", (file) => Buffer.concat([Buffer.of((file[0] ?? 0) ^ 8), file.subarray(1)])],
    [
      "has a tensor of a wrong length",
      (file) => Buffer.from(file.toString("latin1").replace("[1,3]", "[1,4]"), "latin1"),
    ],
  ])("refuses a file that %s", async (_, damage) => {
    const directory = sharedDirectory();
    const store = new TrajectoryStore({ sharedMemory: { directory } });
    const session = store.createSession({ sessionId: "s" });
    session.record(turn([user("a")], [1, 2], [3]));
    session.end();
    const { path = "" } = await store.exportBatch(["s"], { memory: "shared" });
    const copy = join(directory, "damaged");
    copyFileSync(path, copy);
    writeFileSync(copy, damage(readFileSync(copy)));
    expect(await reader().ask(copy)).toHaveProperty("refused");
  });
});
