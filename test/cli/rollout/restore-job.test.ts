import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { finishBatches } from "../../../src/cli/rollout/restore-job.js";
import { SessionsFiles } from "../../../src/cli/rollout/sessions-files.js";
import type { CompleteBatchRow } from "../../../src/job/schema.js";

/** Finishes a batch of an earlier process, and returns its effects. */
async function finish(row: Partial<CompleteBatchRow>, more: { keepSessions?: true; sessions?: string } = {}) {
  const [deleted, freed, archived, inOutbox]: [string[], number[], string[][], number[]] = [[], [], [], []];
  const { keepSessions, sessions = false } = more;
  const out = row.file ?? "/none/batch.safetensors";
  const job = {
    options: { keepSessions },
    archive: { id: "mine", add: async (files: string[]) => archived.push(files) },
    store: {
      sessionsOf: async () => ["s0", "s1"],
      freed: async (number: number) => freed.push(number),
      inOutbox: async (number: number) => inOutbox.push(number),
    },
    proxy: { admin: { deleteSession: async (id: string) => deleted.push(id) } },
  };
  const written = {
    batches: { addNumber: (file: string) => file, restore: async () => undefined } as never,
    sessionsFiles: new SessionsFiles({ sessions, out }, {} as never),
  };
  const batch = { number: 0, file: out, tasks: 2, freed: 0, trained: 1, outbox: null, ...row };
  await finishBatches(job as never, { ended: [], batches: [batch] }, written);
  return { deleted, freed, archived, inOutbox };
}

it("frees the sessions of a batch of a killed job", async () => {
  expect(await finish({})).toEqual({ deleted: ["s0", "s1"], freed: [0], archived: [], inOutbox: [] });
});

it("leaves the sessions of a killed job with --keep-sessions", async () => {
  expect(await finish({}, { keepSessions: true })).toMatchObject({ deleted: [], freed: [0] });
});

it("archives a batch that is not in this machine's outbox yet, also if another controller freed its sessions", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-restore-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [file, sessions] = ["batch.safetensors", "kept.sessions"].map((name) => join(folder, name));
  for (const path of [file, sessions]) writeFileSync(path ?? "", "");
  const batch = { number: 0, file: file ?? "", freed: 1 };
  const archived = { archived: [[file, sessions]], inOutbox: [0] };
  expect(await finish({ ...batch, outbox: "mine" }, { sessions: sessions ?? "" })).toMatchObject(archived);
  expect(await finish({ ...batch, outbox: "mine" })).toMatchObject({ archived: [[file]] });
  for (const outbox of ["other", null]) expect(await finish({ ...batch, outbox })).toMatchObject({ archived: [] });
});
