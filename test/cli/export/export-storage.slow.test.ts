import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readRows } from "../../../src/batch-file/batch-rows.js";
import { exportStorage } from "../../../src/cli/export/export-storage.js";
import { recordKey, sessionKey } from "../../../src/session/stored/keys.js";
import { parseHeader } from "../../../src/support/safetensors/read-header.js";
import type { Proxy, StartedSession } from "../../helpers/proxy.js";
import {
  changeStored,
  fillPages,
  flipBit,
  newFolder,
  recordBranches,
  startStored,
} from "../storage/stored-sessions.js";

/** `rolltape export --storage`: exports what a server left, without a server. */

const ids = (sessions: readonly StartedSession[]) => sessions.map(({ id }) => id);

async function exportByServer(proxy: Proxy, sessions: readonly StartedSession[], options: object): Promise<Buffer> {
  const reply = await proxy.post("/export_batch", { session_ids: ids(sessions), ...options });
  expect(reply.refusal).toBe("200");
  return reply.raw;
}

/** Returns names and digests of all files of a folder. */
function readFolder(directory: string): [string, string][] {
  return readdirSync(directory)
    .toSorted()
    .map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(directory, name)))
        .digest("hex"),
    ]);
}

/** Records sessions in a folder and stops the server. */
async function leave(directory: string, count: number): Promise<StartedSession[]> {
  const proxy = await startStored(directory);
  const sessions: StartedSession[] = [];
  for (let i = 0; i < count; i++) sessions.push(await recordBranches(proxy, `task-${i}`));
  await proxy.close();
  return sessions;
}

test.each([
  [{}, {}],
  [
    { style: "concat", layout: "packed", discount: 0.5, turns: true, onMismatch: "split" },
    { style: "concat", layout: "packed", discount: 0.5, turns: true, on_mismatch: "split" },
  ],
  [{ layout: "tree" }, { layout: "tree" }],
  [
    { maxLength: 30, overflow: "truncate", padSide: "left", padTokenId: 3, rowTensors: false },
    { max_length: 30, overflow: "truncate", pad_side: "left", pad_token_id: 3, row_tensors: false },
  ],
] as const)("exports the bytes that a server exports (%j)", async (options, fields) => {
  const directory = newFolder();
  const sessions = await leave(directory, 2);
  const out = join(newFolder(), "batch.safetensors");
  const left = await exportStorage({ storage: directory, out, ...options });
  expect(left).toMatchObject({ sessions: 2, problems: [] });
  const proxy = await startStored(directory);
  for (const session of sessions) await proxy.end(session);
  const served = await exportByServer(proxy, sessions, fields);
  expect(readFileSync(out).equals(served)).toBe(true);
});

test("exports chosen sessions in their order, and leaves the folder as it is", async () => {
  const directory = newFolder();
  const [first, , third] = await leave(directory, 3);
  const before = readFolder(directory);
  const out = join(newFolder(), "batch.safetensors");
  const chosen = [third, first].flatMap((session) => session ?? []);
  await exportStorage({ storage: directory, out, sessions: ids(chosen) });
  expect(readFolder(directory)).toEqual(before);
  const proxy = await startStored(directory);
  for (const session of chosen) await proxy.end(session);
  expect(readFileSync(out).equals(await exportByServer(proxy, chosen, {}))).toBe(true);
});

test("exports training sessions, or evaluation sessions if they are asked for", async () => {
  const directory = newFolder();
  const proxy = await startStored(directory);
  for (const split of ["train", "eval"]) {
    const session = await proxy.session({ task_id: split, split });
    await proxy.turn(session, [{ role: "user", content: "a" }]);
    await proxy.end(session);
  }
  await proxy.close();
  const out = join(newFolder(), "batch.safetensors");
  const readTasks = () => readRows(parseHeader(readFileSync(out))).map((row) => row.task_id);
  await exportStorage({ storage: directory, out });
  expect(readTasks()).toEqual(["train"]);
  await exportStorage({ storage: directory, out, split: "eval" });
  expect(readTasks()).toEqual(["eval"]);
  await expect(exportStorage({ storage: directory, out, sessions: ["eval-1"] })).rejects.toThrow(
    "--sessions: the split of session eval-1 is eval; set --split eval",
  );
});

test("leaves out calls whose answer may not have arrived, like a server, unless they are asked for", async () => {
  const directory = newFolder();
  const proxy = await startStored(directory);
  const session = await proxy.session();
  await proxy.turn(session, [{ role: "user", content: "a" }]);
  await proxy.end(session);
  await proxy.close();
  await changeStored(directory, () => [{ table: "records", key: recordKey(0, "outcome", 0), value: undefined }]);
  const out = join(newFolder(), "batch.safetensors");
  expect(await exportStorage({ storage: directory, out, includeUndelivered: true })).toMatchObject({ rows: 1 });
  expect(await exportStorage({ storage: directory, out })).toMatchObject({ sessions: 1, rows: 0 });
  const restarted = await startStored(directory);
  expect(readFileSync(out).equals(await exportByServer(restarted, [session], {}))).toBe(true);
});

test("selects sessions by state and skips those without data", async () => {
  const directory = newFolder();
  const proxy = await startStored(directory);
  const [active, ended, held, exported] = [
    await recordBranches(proxy, "active"),
    await recordBranches(proxy, "ended"),
    await recordBranches(proxy, "held"),
    await recordBranches(proxy, "exported"),
  ];
  await proxy.session({ task_id: "empty" });
  const deleted = await recordBranches(proxy, "deleted");
  await proxy.request({ method: "DELETE", url: `/rl/sessions/${deleted.id}` });
  for (const session of [ended, held, exported]) await proxy.end(session);
  await exportByServer(proxy, [held], { acknowledge: true });
  await exportByServer(proxy, [exported], {});
  await proxy.close();
  const out = join(newFolder(), "batch.safetensors");
  expect(await exportStorage({ storage: directory, out })).toMatchObject({ sessions: 4 });
  expect(await exportStorage({ storage: directory, out, state: ["active", "ended", "held"] })).toMatchObject({
    sessions: 3,
  });
  expect(readFileSync(out).toString()).not.toContain(exported.id);
  expect(readFileSync(out).toString()).toContain(active.id);
});

test("skips damaged sessions, names them, and exports the bytes of the others", async () => {
  const directory = newFolder();
  const sessions = await leave(directory, 4);
  const [whole, out] = [join(newFolder(), "whole.safetensors"), join(newFolder(), "batch.safetensors")];
  const intact = [sessions[0], sessions[2]].flatMap((session) => session ?? []);
  await exportStorage({ storage: directory, out: whole, sessions: ids(intact) });
  await changeStored(directory, (storage) => [
    flipBit(storage, "records", recordKey(1, "interaction", 2)),
    flipBit(storage, "sessions", sessionKey(3)),
  ]);
  const { problems, ...counts } = await exportStorage({ storage: directory, out });
  expect(counts).toMatchObject({ sessions: 2 });
  expect(problems).toMatchObject([
    { what: "the head of the session whose id ends with -3", reason: "its checksum is wrong" },
    { what: `session ${sessions[1]?.id}`, reason: expect.stringContaining("interaction 2") },
  ]);
  expect(readFileSync(out).equals(readFileSync(whole))).toBe(true);
});

test("exports what a damaged segment still has", async () => {
  const directory = newFolder();
  await leave(directory, 20);
  fillPages(directory, "a task-11", 0);
  const out = join(newFolder(), "batch.safetensors");
  const { sessions, problems } = await exportStorage({ storage: directory, out });
  expect(sessions).toBe(19);
  const reason = expect.stringMatching(/^segment-00000001\.log is damaged at byte \d+$/);
  expect(problems).toEqual([{ what: expect.stringMatching(/^session task-11-/), reason }]);
});

test("refuses unknown sessions, contradicting options, and a folder without sessions", async () => {
  const directory = newFolder();
  const proxy = await startStored(directory);
  const deleted = await recordBranches(proxy, "a");
  await proxy.request({ method: "DELETE", url: `/rl/sessions/${deleted.id}` });
  await proxy.close();
  const out = join(newFolder(), "batch.safetensors");
  const options = { storage: directory, out };
  await expect(exportStorage({ ...options, sessions: ["none"] })).rejects.toMatchObject({
    code: "invalid_arguments",
    message: "--sessions: the folder has no session none",
  });
  await expect(exportStorage({ ...options, layout: "tree", maxLength: 3 })).rejects.toMatchObject({
    code: "invalid_arguments",
    message: expect.stringContaining("--max-length must be absent for layout tree"),
  });
  await expect(exportStorage({ ...options, state: ["held"] })).rejects.toMatchObject({ code: "nothing_to_export" });
  expect(readdirSync(join(out, ".."))).toEqual([]);
});
