import { expect, it } from "vitest";
import type { Batch } from "../../../src/session/batch/batch.js";
import { SharedExports } from "../../../src/session/export/shared-exports.js";

/** No process has this id: it is larger than Linux and macOS allow. */
const NO_PROCESS = 2 ** 30;
const MINUTE = 60_000;

/** Lends a batch that notes what happens to it. */
function lend(
  exports: SharedExports,
  id: string,
  { taken = false, readerPid }: { taken?: boolean; readerPid?: number },
) {
  const events: string[] = [];
  const batch = { taken, acknowledge: () => events.push("reused"), release: () => events.push("unlinked") };
  exports.lend(id, batch as unknown as Batch, MINUTE, readerPid);
  return events;
}

it("reuses the memory of a batch that its reader acknowledges, once", () => {
  const exports = new SharedExports();
  const events = lend(exports, "b", {});
  expect([exports.acknowledge("other"), exports.acknowledge("b"), exports.acknowledge("b")]).toEqual([
    false,
    true,
    false,
  ]);
  expect([events, exports.size]).toEqual([["reused"], 0]);
});

it("unlinks the file of a batch whose answer was not delivered", () => {
  const exports = new SharedExports();
  const events = lend(exports, "b", {});
  exports.withdraw("b");
  exports.withdraw("b");
  expect([events, exports.acknowledge("b")]).toEqual([["unlinked"], false]);
});

it("unlinks the files that their readers took or left, and the others when their time is over", () => {
  const exports = new SharedExports();
  const read = lend(exports, "read", { readerPid: process.pid });
  const taken = lend(exports, "taken", { taken: true });
  const left = lend(exports, "left", { readerPid: NO_PROCESS });
  exports.reap();
  expect([read, taken, left, exports.size]).toEqual([[], ["unlinked"], ["unlinked"], 1]);
  exports.reap(Date.now() + MINUTE);
  expect([read, exports.size]).toEqual([["unlinked"], 0]);
});

it("unlinks all files when the server closes", () => {
  const exports = new SharedExports();
  const events = [lend(exports, "a", {}), lend(exports, "b", {})];
  exports.close();
  expect([events, exports.size]).toEqual([[["unlinked"], ["unlinked"]], 0]);
});
