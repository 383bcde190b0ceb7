import { describe, expect, it } from "vitest";
import { RolloutController } from "../../src/job/controller.js";
import { GroupedWorkflow } from "../../src/rollout/grouped-workflow.js";
import { ProxyWorkflow } from "../../src/rollout/proxy-workflow.js";
import { createAgent } from "../helpers/agents.js";
import { listeningProxy } from "../helpers/listening-proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { HeldWorkflow, settled } from "./held-workflow.js";

describe("a controller with a proxy", () => {
  it("exports groups as one batch whose tokens have the version that sampled them", async () => {
    const { proxy, engine } = await listeningProxy();
    const workflow = new GroupedWorkflow(new ProxyWorkflow(createAgent(2, () => 1)), 2);
    const controller = new RolloutController(workflow, engine, {
      maxConcurrentRollouts: 4,
      maxStaleness: 0,
      consumerBatchSize: 2,
      exportFields: { discount: 0.5 },
    });
    for (const topic of ["rain", "snow", "hail", "fog"]) controller.submit(topic);
    const first = await controller.waitBatch();
    // The version of the first batch is not consumed yet: nothing else may run.
    expect(controller.counts).toMatchObject({ accepted: 2, running: 0, waiting: 2 });
    expect(first?.sessionIds.map((id) => id.replace(/-\d+$/, ""))).toEqual(["task-0", "task-0", "task-1", "task-1"]);
    expect(first?.tasks.map(({ accepted }) => accepted.map(({ groupId }) => groupId))).toEqual([
      ["task-0", "task-0"],
      ["task-1", "task-1"],
    ]);
    const bytes = await first?.export({ pad_to_multiple_of: 16 });
    const { tensors, metadata } = readSafetensors(bytes ?? new Uint8Array());
    expect(tensors["rewards"]?.data).toEqual([0.5, 1, 0.5, 1, 0.5, 1, 0.5, 1]);
    expect((tensors["input_ids"]?.shape[1] ?? 1) % 16).toBe(0);
    const rows = JSON.parse(metadata["rows"] ?? "[]") as { session_id: string }[];
    expect(rows.map(({ session_id }) => session_id).filter((id, i, all) => id !== all[i - 1])).toEqual(
      first?.sessionIds,
    );

    await controller.setVersion(1);
    const second = await controller.waitBatch();
    const versions = readSafetensors((await second?.export()) ?? new Uint8Array()).tensors["versions"]?.data ?? [];
    expect(new Set(versions)).toEqual(new Set([-1, 1]));
    expect(second?.tasks.map(({ version }) => version)).toEqual([1, 1]);
    for (const id of [...(first?.sessionIds ?? []), ...(second?.sessionIds ?? [])]) {
      expect(proxy.context.registry.get(id).state).toBe("exported");
    }
  });

  it("keeps all sessions if an export fails, and frees those of a discarded batch", async () => {
    const { proxy, engine } = await listeningProxy();
    const workflow = new ProxyWorkflow(createAgent(1, () => 1));
    const limits = { maxConcurrentRollouts: 2, maxStaleness: 0, consumerBatchSize: 2 };
    const controller = new RolloutController(workflow, engine, limits);
    controller.submit("rain");
    controller.submit("snow");
    const batch = await controller.waitBatch();
    await expect(batch?.export({ max_length: 2 })).rejects.toMatchObject({ status: 422 });
    expect((await batch?.export())?.byteLength).toBeGreaterThan(0);
    await batch?.discard();
    expect([...proxy.context.registry.all()]).toEqual([]);
  });
});

describe("a weight update", () => {
  const limits = { maxConcurrentRollouts: 4, maxStaleness: 0, consumerBatchSize: 1 };

  it("starts no task until the engine has the weights and the proxy has the version", async () => {
    const { engine } = await listeningProxy();
    const workflow = new HeldWorkflow();
    const controller = new RolloutController(workflow, engine, limits);
    for (const task of [0, 1, 2]) controller.submit(task);
    await workflow.end(0);
    let loaded: () => void = () => {};
    const update = controller.setVersion(2, () => new Promise((resolve) => (loaded = resolve)));
    expect(workflow.started).toEqual([0]);
    loaded();
    await update;
    expect(controller.version).toBe(2);
    await settled();
    expect(workflow.started).toEqual([0, 1, 2]);
  });

  it("keeps the earlier version if it fails, and the controller goes on", async () => {
    const { engine } = await listeningProxy();
    const workflow = new HeldWorkflow();
    const controller = new RolloutController(workflow, engine, { ...limits, maxStaleness: 1 });
    for (const task of [0, 1, 2]) controller.submit(task);
    const broken = controller.setVersion(1, () => Promise.reject(new Error("the checkpoint is gone")));
    await expect(broken).rejects.toThrow("the checkpoint is gone");
    await expect(controller.setVersion(-1)).rejects.toMatchObject({ code: "invalid_option" });
    expect(controller.version).toBe(0);
    await workflow.end(0);
    expect(workflow.started).toEqual([0, 1]);
  });

  it("waits in batches for tasks that would be too stale for the next version", async () => {
    const { engine } = await listeningProxy();
    const workflow = new HeldWorkflow();
    const controller = new RolloutController(workflow, engine, { ...limits, maxStaleness: 1 });
    for (const task of [0, 1, 2, 3]) controller.submit(task);
    await settled();
    expect(workflow.started).toEqual([0, 1]);
    await workflow.end(1);
    expect((await controller.waitBatch())?.sessionIds).toEqual(["s1"]);
    await controller.setVersion(1);
    await workflow.end(2);
    const next = controller.waitBatch();
    // The batch waits for task 0, which began with version 0: after the next version, it would be two versions behind.
    expect(await Promise.race([next, new Promise((resolve) => setImmediate(resolve, "waiting"))])).toBe("waiting");
    await workflow.end(0);
    expect((await next)?.sessionIds).toEqual(["s0"]);
  });

  it("may announce the version during the update, and takes it back if the update then fails", async () => {
    const { proxy, engine } = await listeningProxy();
    const controller = new RolloutController(new HeldWorkflow(), engine, limits);
    const known: number[] = [];
    await controller.setVersion(1, async (announce) => {
      await announce();
      known.push(proxy.context.weightVersion.version);
    });
    const broken = controller.setVersion(2, async (announce) => {
      await announce();
      known.push(proxy.context.weightVersion.version);
      throw new Error("the engine does not go on");
    });
    await expect(broken).rejects.toThrow("the engine does not go on");
    expect([...known, proxy.context.weightVersion.version, controller.version]).toEqual([1, 2, 1, 1]);
  });
});

describe("a controller after a restart", () => {
  const limits = { maxConcurrentRollouts: 4, maxStaleness: 0, consumerBatchSize: 2, version: 5 };

  it("starts tasks with the given version after it announced the version to the proxy", async () => {
    const { proxy, engine } = await listeningProxy();
    const workflow = new HeldWorkflow();
    const controller = new RolloutController(workflow, engine, limits);
    for (const task of [0, 1, 2, 3]) controller.submit(task);
    expect(workflow.started).toEqual([]);
    await expect.poll(() => workflow.started).toEqual([0, 1]);
    expect(proxy.context.weightVersion.version).toBe(5);
    expect(controller.counts).toMatchObject({ accepted: 10, running: 2 });
  });

  it("starts no task while the version cannot be announced, and waitBatch rejects with the reason", async () => {
    const { proxy, engine } = await listeningProxy();
    const workflow = new HeldWorkflow();
    let adminKey = "sk-admin-of-another-proxy";
    const changing = {
      ...engine,
      get adminKey() {
        return adminKey;
      },
    };
    const controller = new RolloutController(workflow, changing, limits);
    controller.submit(0);
    await expect(controller.waitBatch()).rejects.toMatchObject({ status: 401 });
    expect(workflow.started).toEqual([]);
    adminKey = engine.adminKey;
    controller.finish();
    const batch = controller.waitBatch();
    await expect.poll(() => workflow.started).toEqual([0]);
    expect(proxy.context.weightVersion.version).toBe(5);
    await workflow.end(0);
    expect((await batch)?.sessionIds).toEqual(["s0"]);
  });
});
