import { expect, it } from "vitest";
import { BatchFiles } from "../../../src/cli/rollout/batch-files.js";
import { finishBatches } from "../../../src/cli/rollout/restore-job.js";

it.each([
  [undefined, ["s0", "s1"]],
  [true, []],
] as const)(
  "frees the sessions of a batch of a killed job, unless --keep-sessions (%s)",
  async (keepSessions, freed) => {
    const deleted: string[] = [];
    const finished: number[] = [];
    const job = {
      options: { keepSessions },
      store: { sessionsOf: async () => ["s0", "s1"], freed: async (number: number) => finished.push(number) },
      proxy: { admin: { deleteSession: async (id: string) => deleted.push(id) } },
    };
    const batch = { number: 0, file: "/none/batch.safetensors", freed: 0, trained: 1 };
    const files = new BatchFiles({} as never, "/none/batch.safetensors", undefined);
    await finishBatches(job as never, { ended: [], batches: [batch] } as never, files);
    expect(deleted).toEqual(freed);
    expect(finished).toEqual([0]);
  },
);
