import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { exportSurvivors } from "../../../src/cli/rollout/survivors.js";
import type { ArrivingBatch } from "../../../src/client/admin-client.js";
import { ProxyError } from "../../../src/client/errors.js";
import { RolloutBatch } from "../../../src/job/rollout-batch.js";
import { connectProxy } from "../../../src/rollout/connect.js";
import { acceptedAs } from "../../job/held-workflow.js";

/** A batch of tasks with these sessions. */
function createBatch(...groups: readonly string[][]): RolloutBatch {
  const engine = connectProxy({ url: "http://127.0.0.1:9", adminKey: "sk-admin-of-no-proxy" });
  const tasks = groups.map((ids, index) => ({
    ...acceptedAs(...ids),
    index,
    taskId: `task-${index}`,
    data: index,
    version: 0,
  }));
  return new RolloutBatch(tasks, 0, engine, {});
}

/** Returns a proxy that answers its exports with these refusals, one after the other. Later exports succeed. */
function proxyRefusing(...refusals: readonly Readonly<Record<string, string>>[]) {
  const waiting = [...refusals];
  const [asked, deleted, acknowledged]: [string[][], string[], string[]] = [[], [], []];
  return {
    asked,
    deleted,
    acknowledged,
    acknowledge: async (id: string) => acknowledged.push(id) > 0,
    receiveHeldBatch: async <T>(
      ids: readonly string[],
      _fields: unknown,
      receive: (batch: ArrivingBatch) => Promise<T>,
    ) => {
      asked.push([...ids]);
      const codes = waiting.shift();
      if (codes === undefined) {
        const bytes = new Uint8Array(ids.length);
        const received = await receive({
          byteLength: bytes.length,
          body: Readable.from([bytes], { objectMode: false }),
        });
        return { id: "batch-1", received };
      }
      const sessions = Object.entries(codes).map(([session_id, code]) => ({ session_id, code, message: code }));
      throw new ProxyError("batch_not_exportable", "no", { details: { sessions } });
    },
    deleteSession: async (id: string) => deleted.push(id) > 0,
  };
}

const receive = ({ byteLength }: ArrivingBatch) => Promise.resolve({ byteLength });
const options = { receive, fields: {}, dropIncompleteGroup: true, pausesMs: [1, 1] };
const down = { "b-w1-0": "worker_unavailable" };

describe("exportSurvivors", () => {
  it("exports the batch without lost sessions", async () => {
    const admin = proxyRefusing({ "b-0": "session_not_found", "c-0": "session_expired" });
    const batch = createBatch(["a-0"], ["b-0"], ["c-0"]);
    const survivors = await exportSurvivors(batch, { ...options, admin });
    expect(survivors).toMatchObject({ lost: { size: 2 }, leftOut: 0, content: { byteLength: 1 } });
    expect(admin.asked).toEqual([["a-0", "b-0", "c-0"], ["a-0"]]);
  });

  it("loses no session if a worker is unavailable for a moment", async () => {
    const admin = proxyRefusing(down, down);
    const survivors = await exportSurvivors(createBatch(["a-w0-0"], ["b-w1-0"]), { ...options, admin });
    expect(survivors).toMatchObject({ lost: { size: 0 }, content: { byteLength: 2 } });
  });

  it("leaves out the rest of a group and deletes it after the write, or keeps it if dropIncompleteGroup is false", async () => {
    const groups = () => createBatch(["a-w0-0", "a-w1-1"], ["b-w1-0", "b-w0-1"]);
    const dropping = proxyRefusing(down, down, down);
    const survivors = await exportSurvivors(groups(), { ...options, admin: dropping });
    expect(survivors).toMatchObject({ lost: { size: 1 }, leftOut: 1, sessionIds: ["a-w0-0", "a-w1-1"] });
    expect(dropping.asked.at(-1)).toEqual(["a-w0-0", "a-w1-1"]);
    expect(dropping.deleted).toEqual([]);
    await survivors.release();
    expect(dropping.deleted).toEqual(["b-w0-1"]);
    const keeping = proxyRefusing(down, down, down);
    const kept = await exportSurvivors(groups(), { ...options, dropIncompleteGroup: false, admin: keeping });
    expect(kept).toMatchObject({ lost: { size: 1 }, leftOut: 0 });
    expect(keeping.asked.at(-1)).toEqual(["a-w0-0", "a-w1-1", "b-w0-1"]);
  });

  it("acknowledges the batch after the write, and not before", async () => {
    const admin = proxyRefusing();
    const survivors = await exportSurvivors(createBatch(["a-0"]), { ...options, admin });
    expect(admin.acknowledged).toEqual([]);
    await survivors.release();
    expect(admin).toMatchObject({ acknowledged: ["batch-1"], deleted: [] });
  });

  it.each(["export_lease_ended", "worker_unavailable"])(
    "deletes the sessions of a written batch after %s",
    async (code) => {
      const refuse = async () => {
        throw new ProxyError(code, "no");
      };
      const admin = { ...proxyRefusing(), acknowledge: refuse };
      await (await exportSurvivors(createBatch(["a-0"], ["b-0"]), { ...options, admin })).release();
      expect(admin.deleted).toEqual(["a-0", "b-0"]);
    },
  );

  it("exports nothing if the tasks of lost sessions run again", async () => {
    const admin = proxyRefusing({ "b-0": "session_not_found" });
    const survivors = await exportSurvivors(createBatch(["a-0"], ["b-0"]), { ...options, admin, stopIfLost: true });
    expect(survivors).toMatchObject({ content: undefined, lost: new Set(["b-0"]), sessionIds: [] });
    expect(admin.asked).toHaveLength(1);
    await survivors.release();
    expect(admin).toMatchObject({ deleted: [], acknowledged: [] });
  });

  it("returns no batch if all sessions are lost", async () => {
    const admin = proxyRefusing({ "a-0": "session_not_found" });
    const survivors = await exportSurvivors(createBatch(["a-0"]), { ...options, admin });
    expect(survivors).toMatchObject({ content: undefined, lost: { size: 1 }, leftOut: 0 });
    expect(admin.asked).toHaveLength(1);
  });

  it("fails if the proxy refuses for another reason too", async () => {
    const admin = proxyRefusing({ "a-0": "session_not_found", "b-0": "session_active" });
    await expect(exportSurvivors(createBatch(["a-0"], ["b-0"]), { ...options, admin })).rejects.toMatchObject({
      name: "BatchExportError",
      sessionIds: ["a-0", "b-0"],
      cause: { code: "batch_not_exportable" },
    });
    expect(admin.deleted).toEqual([]);
  });
});
