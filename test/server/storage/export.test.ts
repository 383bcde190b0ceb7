import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readHeads } from "../../../src/session/stored/offline-sessions.js";
import { readAsAfterCrash } from "../../helpers/crashed-copy.js";
import { Proxy, type StartedSession } from "../../helpers/proxy.js";
import type { ScriptedEngine } from "../../helpers/scripted-engine.js";

/** What is on disk when the answer of an export has left a server with `storage.directory`. */

let directory: string;
let proxy: Proxy<ScriptedEngine>;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "rolltape-stored-export-"));
  proxy = await Proxy.start({ storage: { directory } });
});
afterEach(async () => {
  await proxy.close();
  rmSync(directory, { recursive: true });
});

async function endedSession(): Promise<StartedSession> {
  const started = await proxy.session();
  await proxy.turn(started, [{ role: "user", content: "a" }]);
  await proxy.end(started);
  return started;
}

/** Reads the heads of the sessions as a server that starts after a crash would. */
const readStored = () =>
  readAsAfterCrash(directory, (storage) => ({
    summaries: readHeads(storage, ({ what }) => expect.unreachable(what)).map(({ head }) => head.summary),
    leases: [...storage.range("leases")],
  }));

const readStoredStates = () => readStored().summaries.map(({ state }) => state);

test.each([{}, { acknowledge: true }])(
  "an export with %o leaves once its sessions are stored as exported",
  async (extra) => {
    const { id } = await endedSession();
    const reply = await proxy.post("/export_batch", { session_ids: [id], ...extra });
    expect(reply.refusal).toBe("200");
    expect(readStoredStates()).toEqual(["exported"]);
  },
);

test("an export of trajectories leaves once its session is stored as exported", async () => {
  const started = await endedSession();
  expect((await proxy.export(started)).refusal).toBe("200");
  expect(readStoredStates()).toEqual(["exported"]);
});

test("an acknowledgement leaves once the sessions are stored as freed", async () => {
  const { id } = await endedSession();
  const held = await proxy.post("/export_batch", { session_ids: [id], acknowledge: true });
  const url = `/export_batch/${String(held.headers["x-rolltape-export-id"])}`;
  expect((await proxy.request({ method: "DELETE", url })).refusal).toBe("200");
  const { summaries, leases } = readStored();
  expect(summaries.map(({ freed }) => freed)).toEqual([true]);
  expect(leases).toEqual([]);
});
