import { expect, it } from "vitest";
import { finishBatches } from "../../../src/cli/rollout/restore-job.js";
import type { CompleteBatchRow } from "../../../src/job/schema.js";

/** Finishes a batch of an earlier process, and returns its effects. */
async function finish(row: Partial<CompleteBatchRow>, { isFull = false, keepSessions = false } = {}) {
  const [deleted, freed, archived, inOutbox]: [string[], number[], string[][], number[]] = [[], [], [], []];
  const job = {
    options: { keepSessions },
    archive: { id: "mine", add: async (files: string[]) => archived.push(files) > 0 && !isFull },
    store: {
      sessionsOf: async () => ["s0", "s1"],
      freed: async (number: number) => freed.push(number),
      inOutbox: async (number: number) => inOutbox.push(number),
    },
    proxy: { admin: { deleteSession: async (id: string) => deleted.push(id) } },
  };
  const file = "/none/batch.safetensors";
  const batch = { number: 0, file, tasks: 2, freed: 0, trained: 1, outbox: null, sessions_file: null, ...row };
  await finishBatches(job as never, { ended: [], batches: [batch] }, {} as never);
  return { deleted, freed, archived, inOutbox };
}

it("frees the sessions of a batch of a killed job", async () => {
  expect(await finish({})).toEqual({ deleted: ["s0", "s1"], freed: [0], archived: [], inOutbox: [] });
});

it("leaves the sessions of a killed job with --keep-sessions", async () => {
  expect(await finish({}, { keepSessions: true })).toMatchObject({ deleted: [], freed: [0] });
});

it("archives a batch that is not in this machine's outbox yet, also if another controller freed its sessions", async () => {
  const batch = { file: "/none/a", freed: 1, outbox: "mine" };
  expect(await finish(batch)).toMatchObject({ archived: [["/none/a"]], inOutbox: [0] });
  for (const outbox of ["other", null]) expect(await finish({ ...batch, outbox })).toMatchObject({ archived: [] });
});

it("archives a batch with the sessions file that was written for it", async () => {
  const batch = { file: "/none/a", sessions_file: "/none/kept.sessions", outbox: "mine" };
  expect(await finish(batch)).toMatchObject({ archived: [["/none/a", "/none/kept.sessions"]], inOutbox: [0] });
});

it("leaves a batch for the next process if there is no room for it in the outbox", async () => {
  expect(await finish({ outbox: "mine" }, { isFull: true })).toMatchObject({ inOutbox: [], freed: [0] });
});
