import { describe, expect, it, onTestFinished } from "vitest";
import type { AdminClient } from "../../src/client/admin-client.js";
import { RolloutController } from "../../src/job/controller.js";
import type { ControllerOptions } from "../../src/job/controller-options.js";
import type { StalenessLimits } from "../../src/job/planning.js";
import { SqliteDatabase } from "../../src/job/sqlite.js";
import type { TaskResult } from "../../src/job/task.js";
import { connectProxy } from "../../src/rollout/connect.js";
import type { RolloutWorkflow } from "../../src/rollout/contract.js";
import { Rejection } from "../../src/rollout/rejection.js";
import { HeldProxy } from "./held-proxy.js";
import { acceptedAs, HeldWorkflow, rejectedWith, settled } from "./held-workflow.js";
import { openTestStore } from "./open-test-store.js";

function controlled(options: Partial<ControllerOptions<number>> = {}) {
  const workflow = new HeldWorkflow();
  const engine = connectProxy({ url: "http://127.0.0.1:9", adminKey: "sk-admin-of-no-proxy" });
  onTestFinished(() => engine.close());
  const controller = new RolloutController(workflow, engine, {
    maxConcurrentRollouts: 8,
    maxStaleness: 0,
    consumerBatchSize: 2,
    ...options,
  });
  const submit = async (count: number) => {
    for (let i = 0; i < count; i++) controller.submit(i);
    await settled();
  };
  return { workflow, controller, submit };
}

/** What has happened by now. */
async function readState(promise: Promise<unknown>): Promise<unknown> {
  return Promise.race([promise, settled().then(() => "waiting")]);
}

describe("a controller", () => {
  it("starts tasks in order, as many as staleness allows", async () => {
    const { workflow, controller, submit } = controlled({ maxConcurrentRollouts: 3, maxStaleness: 1 });
    await submit(9);
    expect(workflow.started).toEqual([0, 1, 2]);
    await workflow.end(1);
    expect(workflow.started).toEqual([0, 1, 2, 3]);
    for (const each of [0, 2, 3]) await workflow.end(each);
    // (1 + 0 + 1) × 2 tasks are accepted. The next ones wait until the trainer has another version.
    expect(controller.counts).toMatchObject({ submitted: 9, waiting: 5, running: 0, accepted: 4 });
  });

  it("starts another task for a rejected one, and counts the reasons", async () => {
    const { workflow, controller, submit } = controlled();
    await submit(5);
    await workflow.end(0, rejectedWith("agent_error"));
    await workflow.end(1, rejectedWith("group_incomplete", "no_model_calls", "group_incomplete"));
    expect(workflow.started).toEqual([0, 1, 2, 3]);
    expect(controller.counts).toMatchObject({ accepted: 0, rejected: 2, incomplete: 0 });
    expect([...controller.counts.rejectedEpisodes]).toEqual([
      ["agent_error", 1],
      ["group_incomplete", 2],
      ["no_model_calls", 1],
    ]);
  });

  it.each([
    [undefined, "arunEpisode must resolve with { accepted, rejected }; received undefined."],
    [
      { accepted: [] },
      "arunEpisode must resolve with { accepted, rejected }; rejected must be an array, received undefined.",
    ],
    [
      { accepted: [{ sessionId: "s", url: "http://x", interactionCount: 1, rewards: { a: 1 } }], rejected: [] },
      "arunEpisode must resolve with { accepted, rejected }; accepted[0].rewards must be a Map of interaction ids to numbers, received an object with a.",
    ],
    [
      { accepted: [], rejected: [{ reason: "bad" }] },
      'arunEpisode must resolve with { accepted, rejected }; rejected[0].reason must be a Rejection, received the string "bad".',
    ],
  ])("rejects the task of a workflow that resolves with %j, with the reason", async (result, message) => {
    const results: { rejected: readonly { reason: Error }[] }[] = [];
    const broken = new RolloutController(
      { arunEpisode: () => Promise.resolve(result as never) },
      connectProxy({ url: "http://127.0.0.1:9", adminKey: "sk-admin-of-no-proxy" }),
      {
        maxConcurrentRollouts: 1,
        maxStaleness: 0,
        consumerBatchSize: 1,
        onResult: (each) => results.push(each),
      },
    );
    broken.submit(0);
    broken.finish();
    expect(await broken.waitBatch()).toBeUndefined();
    expect(results[0]?.rejected[0]?.reason).toMatchObject({ code: "workflow_error", message });
  });

  it("rejects the task of a workflow that throws", async () => {
    const { controller, submit } = controlled();
    const broken = new RolloutController(
      { arunEpisode: () => Promise.reject(new Error("a bug")) },
      connectProxy({ url: "http://127.0.0.1:9", adminKey: "sk-admin-of-no-proxy" }),
      { maxConcurrentRollouts: 1, maxStaleness: 0, consumerBatchSize: 1 },
    );
    broken.submit(0);
    broken.finish();
    expect(await broken.waitBatch()).toBeUndefined();
    expect([...broken.counts.rejectedEpisodes]).toEqual([["workflow_error", 1]]);
    await submit(0);
    expect(controller.counts.submitted).toBe(0);
  });

  it("keeps a group with rejected members, and counts it as incomplete", async () => {
    const { workflow, controller, submit } = controlled({ consumerBatchSize: 1 });
    await submit(1);
    await workflow.end(0, { ...rejectedWith("agent_error"), accepted: acceptedAs("a", "b").accepted });
    expect(controller.counts).toMatchObject({ accepted: 1, rejected: 0, incomplete: 1 });
    const batch = await controller.waitBatch();
    expect(batch?.sessionIds).toEqual(["a", "b"]);
    expect(batch?.tasks[0]?.rejected.map(({ reason }) => reason.code)).toEqual(["agent_error"]);
  });

  it("passes the task id and the group id of each task to the workflow", async () => {
    const { workflow, controller } = controlled();
    controller.submit(0);
    controller.submit(1, { taskId: "math-7", groupId: "g" });
    await settled();
    expect(workflow.options.get(0)).toMatchObject({ taskId: "task-0", groupId: "task-0", export: "deferred" });
    expect(workflow.options.get(1)).toMatchObject({ taskId: "math-7", groupId: "g" });
  });
});

describe("batches", () => {
  it("have consumerBatchSize tasks, in the order of the tasks, whichever ended first", async () => {
    const { workflow, controller, submit } = controlled({ maxStaleness: 1 });
    await submit(4);
    const first = controller.waitBatch();
    await workflow.end(3);
    expect(await readState(first)).toBe("waiting");
    await workflow.end(1);
    expect((await first)?.tasks.map(({ index }) => index)).toEqual([1, 3]);
    await workflow.end(2);
    await workflow.end(0);
    expect((await controller.waitBatch())?.sessionIds).toEqual(["s0", "s2"]);
  });

  it("wait for earlier tasks with batchOrder task, but not for rejected ones", async () => {
    const { workflow, controller, submit } = controlled({ maxStaleness: 2, batchOrder: "task" });
    await submit(6);
    const first = controller.waitBatch();
    for (const each of [5, 3, 2]) await workflow.end(each);
    await workflow.end(1, rejectedWith("agent_error"));
    expect(await readState(first)).toBe("waiting");
    await workflow.end(0);
    expect((await first)?.tasks.map(({ index }) => index)).toEqual([0, 2]);
    const second = controller.waitBatch();
    expect(await readState(second)).toBe("waiting");
    await workflow.end(4);
    expect((await second)?.tasks.map(({ index }) => index)).toEqual([3, 4]);
  });

  it("may be smaller at the end, followed by undefined", async () => {
    const { workflow, controller, submit } = controlled({ maxStaleness: 4 });
    await submit(3);
    const batches = [controller.waitBatch(), controller.waitBatch(), controller.waitBatch()];
    controller.finish();
    for (const each of [0, 1, 2]) await workflow.end(each);
    expect((await Promise.all(batches)).map((batch) => batch?.sessionIds)).toEqual([["s0", "s1"], ["s2"], undefined]);
    expect(() => controller.submit(9)).toThrow(
      expect.objectContaining({ name: "ControllerError", code: "no_more_tasks" }) as Error,
    );
  });

  it("make room for other tasks if their sessions are lost", async () => {
    const { workflow, controller, submit } = controlled();
    await submit(4);
    await workflow.end(0);
    await workflow.end(1);
    const batch = await controller.waitBatch();
    expect(workflow.started).toEqual([0, 1]);
    if (batch) controller.lose(batch);
    await settled();
    expect(workflow.started).toEqual([0, 1, 2, 3]);
    expect(controller.counts).toMatchObject({ accepted: 0, rejected: 2, running: 2 });
  });

  it("keep the other tasks for the next batch if some run again", async () => {
    const { workflow, controller, submit } = controlled({ consumerBatchSize: 3 });
    await submit(4);
    for (const each of [0, 1, 2]) await workflow.end(each);
    const batch = await controller.waitBatch();
    if (batch) await controller.rerun(batch, new Set(["s1"]), "its sessions were lost");
    await settled();
    expect(workflow.started).toEqual([0, 1, 2, 1]);
    expect(controller.counts).toMatchObject({ accepted: 2, rejected: 0, running: 1, waiting: 1 });
    expect(workflow.options.get(1)).toMatchObject({ taskId: "task-1", groupId: "task-1" });
    const again = controller.waitBatch();
    await workflow.end(1, acceptedAs("s1-again"));
    expect((await again)?.sessionIds).toEqual(["s0", "s1-again", "s2"]);
  });

  it("go on with the tasks that ended before a restart", async () => {
    const database = new SqliteDatabase();
    const engine = connectProxy({ url: "http://127.0.0.1:9", adminKey: "sk-admin-of-no-proxy" });
    onTestFinished(() => engine.close());
    /** Starts a process of the job. Nothing of the one before it runs any more. */
    const start = async () => {
      const workflow = new HeldWorkflow();
      const store = await openTestStore({ resume: true }, database);
      const limits = { maxConcurrentRollouts: 3, maxStaleness: 3, consumerBatchSize: 2 };
      const controller = new RolloutController(workflow, engine, limits, { store, isResumable: true });
      for (let i = 0; i < 5; i++) controller.submit(i);
      await store.begin((change) => controller.noteChange(change));
      controller.finish();
      await settled();
      return { store, workflow, controller };
    };
    const first = await start();
    for (const each of [0, 1]) await first.workflow.end(each);
    const batch = await first.controller.waitBatch();
    expect(batch?.sessionIds).toEqual(["s0", "s1"]);
    await first.store.saveBatch({ number: 0, file: "a", tasks: [0, 1], trained: true });
    await first.workflow.end(2);
    expect(first.controller.counts).toMatchObject({ accepted: 3, running: 2, waiting: 0 });

    const { workflow, controller } = await start();
    expect(workflow.started).toEqual([3, 4]);
    const next = controller.waitBatch();
    await workflow.end(3);
    expect((await next)?.tasks.map(({ index, accepted }) => [index, accepted[0]?.sessionId])).toEqual([
      [2, "s2"],
      [3, "s3"],
    ]);
    await workflow.end(4, rejectedWith("agent_error"));
    expect(await controller.waitBatch()).toBeUndefined();
    expect(controller.counts).toMatchObject({ submitted: 5, waiting: 0, accepted: 4, rejected: 1, running: 0 });
  });

  it("are not waited for after the signal aborts", async () => {
    const { workflow, controller, submit } = controlled();
    await submit(2);
    const impatient = new AbortController();
    const given = controller.waitBatch(impatient.signal);
    const other = controller.waitBatch();
    impatient.abort(new Error("enough"));
    await expect(given).rejects.toThrow("enough");
    await expect(controller.waitBatch(impatient.signal)).rejects.toThrow("enough");
    await workflow.end(0);
    await workflow.end(1);
    expect((await other)?.sessionIds).toEqual(["s0", "s1"]);
  });
});

it("serves whoever waits for a batch, however soon after another one", async () => {
  const { workflow, controller, submit } = controlled({ maxStaleness: 99, maxConcurrentRollouts: 99 });
  await submit(80);
  for (let task = 0; task < 80; task++) await workflow.end(task);
  for (let microtasks = 0; microtasks < 20; microtasks++) {
    await controller.waitBatch();
    for (let i = 0; i < microtasks; i++) await Promise.resolve();
    expect(await readState(controller.waitBatch().then(() => "served"))).toBe("served");
  }
});

describe("a controller that is paused or stopped", () => {
  it("starts no task while it is paused; running tasks go on", async () => {
    const { workflow, controller, submit } = controlled({ maxConcurrentRollouts: 1, maxStaleness: 9 });
    await submit(3);
    controller.pause();
    await workflow.end(0);
    expect(workflow.started).toEqual([0]);
    controller.resume();
    await settled();
    expect(workflow.started).toEqual([0, 1]);
  });

  it("aborts running tasks and drops waiting ones when it stops; accepted ones can still be taken", async () => {
    const { workflow, controller, submit } = controlled({ maxConcurrentRollouts: 3, maxStaleness: 9 });
    await submit(9);
    await workflow.end(1);
    await controller.stop();
    expect((await controller.waitBatch())?.sessionIds).toEqual(["s1"]);
    expect(await controller.waitBatch()).toBeUndefined();
    expect(controller.counts).toMatchObject({ waiting: 0, running: 0, accepted: 1, rejected: 3 });
    expect([...controller.counts.rejectedEpisodes]).toEqual([["episode_aborted", 3]]);
  });
});

describe("the options of a controller", () => {
  it.each([
    [{}, "maxConcurrentRollouts must be an integer of at least 1; received undefined."],
    [
      { maxConcurrentRollouts: 1, maxStaleness: "2" },
      'maxStaleness must be an integer of at least 0; received the string "2".',
    ],
    [
      undefined,
      "options must be an object with maxConcurrentRollouts, maxStaleness and consumerBatchSize; received undefined.",
    ],
  ])("names the missing or invalid limit in %j", (options, message) => {
    const engine = connectProxy({ url: "http://127.0.0.1:9", adminKey: "sk-admin-of-no-proxy" });
    const make = () => new RolloutController(new HeldWorkflow(), engine, options as StalenessLimits);
    expect(make).toThrow(expect.objectContaining({ code: "invalid_option", message }));
  });
});

it.each([
  [true, { accepted: 0, waiting: 2 }],
  [false, { accepted: 1, waiting: 1 }],
])(
  "takes a group that was cut for a result only if no process can complete it (resumable: %s)",
  async (isResumable, counts) => {
    const store = await openTestStore({ batchSize: 2 });
    const engine = connectProxy({ url: "http://127.0.0.1:9", adminKey: "sk-admin-of-no-proxy" });
    onTestFinished(() => engine.close());
    // One member has ended when the job is stopped, and the other one is aborted.
    const cut = { accepted: acceptedAs("s0").accepted, rejected: rejectedWith("episode_aborted").rejected };
    const workflow: RolloutWorkflow<number> = {
      arunEpisode: (_engine, data, { signal } = {}) =>
        new Promise((resolve) => {
          signal?.addEventListener("abort", () => resolve(data === 0 ? cut : rejectedWith("episode_aborted")));
        }),
    };
    const limits = { maxConcurrentRollouts: 9, maxStaleness: 0, consumerBatchSize: 2 };
    const controller = new RolloutController(workflow, engine, limits, { store, isResumable });
    const deleted: string[] = [];
    await store.begin((change) => {
      deleted.push(...change.lostLeases);
      controller.noteChange(change);
    });
    controller.submit(0);
    controller.submit(1);
    await settled();
    await controller.stop();
    expect(await store.readCounts()).toMatchObject(counts);
    // The proxy deletes what the cut tasks have left there.
    expect(deleted).toHaveLength(counts.waiting);
  },
);

it.each([
  ["stays", 0],
  ["rises by one", 1],
  ["leaps", 10],
])("lets as many tasks start after a batch if the version %s", async (_, version) => {
  const store = await openTestStore({ batchSize: 4 });
  const engine = connectProxy({ url: "http://127.0.0.1:9", adminKey: "sk-admin-of-no-proxy" });
  onTestFinished(() => engine.close());
  const workflow = new HeldWorkflow();
  const limits = { maxConcurrentRollouts: 99, maxStaleness: 1, consumerBatchSize: 4 };
  const controller = new RolloutController(workflow, engine, limits, { store, isResumable: false });
  await store.begin((change) => controller.noteChange(change));
  for (let i = 0; i < 40; i++) controller.submit(i);
  await settled();
  for (let i = 0; i < 4; i++) await workflow.end(i);
  expect((await controller.waitBatch())?.tasks).toHaveLength(4);
  expect(workflow.started).toHaveLength(8);
  controller.noteStep(version);
  await store.setVersion(version);
  controller.resume();
  await settled();
  expect(workflow.started).toHaveLength(12);
});

it("refuses a version below the current one", async () => {
  const { controller } = controlled({ version: 3 });
  await expect(controller.setVersion(2)).rejects.toMatchObject({ code: "version_went_back" });
});

it("rejects waiting calls of waitBatch when it is stopped and its state cannot be stored", async () => {
  const database = new SqliteDatabase();
  const failures: Error[] = [];
  const store = await openTestStore({ onFailure: (error) => failures.push(error) }, database);
  const engine = connectProxy({ url: "http://127.0.0.1:9", adminKey: "sk-admin-of-no-proxy" });
  onTestFinished(() => engine.close());
  const limits = { maxConcurrentRollouts: 1, maxStaleness: 0, consumerBatchSize: 1 };
  const controller = new RolloutController(undefined, engine, limits, { store, isResumable: true });
  await store.begin((change) => controller.noteChange(change));
  controller.submit(0);
  await settled();
  const batch = controller.waitBatch();
  batch.catch(() => undefined);
  await settled();
  await database[Symbol.asyncDispose]();
  await expect(controller.stop()).rejects.toThrow(/not open|closed/);
  await expect(batch).rejects.toThrow(/not open|closed/);
  expect(failures).toHaveLength(1);
});

describe("a controller whose tasks are run elsewhere", () => {
  async function startWith(limits: Partial<StalenessLimits> = {}) {
    const database = new SqliteDatabase();
    const after: (() => void)[] = [];
    const transaction: SqliteDatabase["transaction"] = async (work, committed) => {
      const result = await database.transaction(work, committed);
      after.shift()?.();
      return result;
    };
    const store = await openTestStore(
      { keepsRejected: true },
      { transaction, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() },
    );
    const results: TaskResult<number>[] = [];
    let queued = 0;
    const options = {
      maxConcurrentRollouts: 2,
      maxStaleness: 9,
      consumerBatchSize: 1,
      ...limits,
      onResult: (result: TaskResult<number>) => void results.push(result),
    };
    const proxy = new HeldProxy();
    const job = { store, isResumable: true, onQueued: () => void queued++ };
    const controller = new RolloutController<number>(undefined, proxy.engine, options, job);
    await store.begin((change) => controller.noteChange(change));
    const lease = async () => {
      const [task] = await store.claim({ worker: "w", count: 1, maxHeld: 9, workers: 1 });
      if (!task) throw new Error("no task");
      return task;
    };
    const accept = async (session_id: string) => {
      const { leaseId: lease_id, index: task, attempt } = await lease();
      const accepted = [{ session_id, url: "u", group_id: null, interaction_count: 1, rewards: [] }];
      await store.update([], [{ lease_id, task, attempt, result: { accepted, rejected: [] } }]);
      await settled();
    };
    return { store, controller, proxy, results, after, accept, lease, queued: () => queued };
  }

  it("tells when tasks are queued, and passes on each result", async () => {
    const { controller, results, accept, queued } = await startWith();
    await settled();
    expect(queued()).toBe(0);
    for (const data of [7, 8, 9]) controller.submit(data, { taskId: `math-${data}` });
    expect(controller.counts).toMatchObject({ submitted: 3, waiting: 3, running: 0 });
    await settled();
    expect(controller.counts).toMatchObject({ submitted: 3, waiting: 1, running: 2 });
    expect(queued()).toBe(1);
    await accept("s");
    expect(queued()).toBe(2);
    expect(results).toMatchObject([{ index: 0, taskId: "math-7", data: 7, version: 0, rejected: [] }]);
    expect(results[0]?.accepted).toMatchObject([{ sessionId: "s", url: "u" }]);
    expect(controller.counts.incomplete).toBe(0);
  });

  it("keeps a batch whose caller gave up while it was taken", async () => {
    const { controller, after, accept } = await startWith();
    controller.submit(0);
    await settled();
    await accept("s");
    const impatient = new AbortController();
    after.push(() => impatient.abort(new Error("enough")));
    await expect(controller.waitBatch(impatient.signal)).rejects.toThrow("enough");
    await settled();
    expect((await controller.waitBatch())?.sessionIds).toEqual(["s"]);
  });

  it("rejects the tasks of a batch that is lost, for a reason that can be given", async () => {
    const { store, controller, accept } = await startWith();
    for (const task of [0, 1]) {
      controller.submit(task);
      await settled();
      await accept(`s${task}`);
    }
    const lose = async (reason?: Rejection) => {
      const batch = await controller.waitBatch();
      if (batch) controller.lose(batch, reason);
      await settled();
    };
    await lose();
    await lose(new Rejection("episode_aborted", "not written"));
    const { ended } = await store.begin(() => undefined);
    expect(ended.map(({ result }) => result.rejected[0])).toMatchObject([
      { code: "worker_lost", message: "The sessions of this task were lost with their proxy." },
      { code: "episode_aborted", message: "not written" },
    ]);
    expect(controller.counts).toMatchObject({ accepted: 0, rejected: 2 });
  });

  it("counts nothing as running or waiting once it is stopped, and passes on what it aborted", async () => {
    const { controller, results, lease } = await startWith();
    for (const task of [0, 1, 2]) controller.submit(task);
    await settled();
    await lease();
    await controller.stop();
    expect(controller.counts).toMatchObject({ submitted: 3, waiting: 0, running: 0, rejected: 2 });
    expect(results).toMatchObject([
      { index: 0, accepted: [], rejected: [{ groupId: "task-0" }] },
      {
        index: 1,
        accepted: [],
        rejected: [{ reason: { code: "episode_aborted", message: "The rollout was stopped." } }],
      },
    ]);
    expect(() => controller.submit(3)).toThrow(expect.objectContaining({ code: "no_more_tasks" }) as Error);
    expect(await controller.waitBatch()).toBeUndefined();
  });

  it("sets no version below the current one, nor one that is no integer", async () => {
    const { controller, proxy } = await startWith();
    await expect(controller.setVersion(1.5)).rejects.toMatchObject({ code: "invalid_option" });
    const update = controller.setVersion(0);
    await settled();
    await proxy.answer();
    await update;
    expect(proxy.calls).toEqual([["/rl/set_version", { version: 0 }]]);
  });

  it("has the proxy load weights, and starts no task until all updates have ended", async () => {
    const { controller, proxy, queued, store } = await startWith();
    const progress: unknown[] = [];
    const onProgress = (status: unknown) => void progress.push(status);
    const loading = controller.setVersion(1, { path: "/w", exclude: ["http://e"], onProgress });
    const other = controller.setVersion(1, async () => {}).catch((error: unknown) => error);
    await settled();
    controller.submit(0);
    await settled();
    expect(proxy.calls).toMatchObject([
      ["/rl/weights", { version: 1, path: "/w", exclude: ["http://e"] }],
      ["/rl/set_version", { version: 1 }],
    ]);
    await proxy.answer();
    await loading;
    expect(progress).toHaveLength(1);
    expect([controller.version, queued()]).toEqual([1, 0]);
    await proxy.answer(500);
    // The announcement may have arrived, so the version is announced again.
    expect(proxy.calls.slice(2)).toEqual([["/rl/set_version", { version: 1 }]]);
    expect(queued()).toBe(0);
    await proxy.answer();
    expect(await other).toMatchObject({ status: 500 });
    await settled();
    expect(queued()).toBe(1);
    expect(await store.readCounts()).toMatchObject({ version: 1, queued: 1 });
  });

  it("keeps its version if weights cannot be loaded, without announcing it again", async () => {
    const { controller, proxy } = await startWith();
    const loading = controller.setVersion(1, { path: "/w" }).catch((error: Error) => error);
    await settled();
    await proxy.answer(500);
    expect(await loading).toMatchObject({ status: 500 });
    await settled();
    expect(controller.version).toBe(0);
    expect(proxy.calls).toHaveLength(1);
  });

  it("announces a version once, if the update does it", async () => {
    const { controller, proxy } = await startWith();
    const update = controller.setVersion(1, (announce) => announce());
    await settled();
    await proxy.answer();
    await update;
    expect(proxy.calls).toEqual([["/rl/set_version", { version: 1 }]]);
    expect(controller.version).toBe(1);
    const signal = AbortSignal.abort(new Error("enough"));
    const aborted = controller.setVersion(2, undefined, { signal }).catch((error: unknown) => error);
    await settled();
    expect(proxy.calls.slice(1)).toEqual([["/rl/set_version", { version: 1 }]]);
    await proxy.answer();
    expect(await aborted).toEqual(new Error("enough"));
  });
});

it("fails all that waits once its state cannot be stored, with the first error", async () => {
  const database = new SqliteDatabase();
  const store = await openTestStore({}, database);
  const workflow = new HeldWorkflow();
  const { engine } = new HeldProxy();
  const limits = { maxConcurrentRollouts: 1, maxStaleness: 0, consumerBatchSize: 1 };
  const controller = new RolloutController(workflow, engine, limits, { store, isResumable: true });
  await store.begin((change) => controller.noteChange(change));
  controller.submit(0);
  await settled();
  const waiting = [controller.waitBatch(), controller.waitBatch()];
  await settled();
  await database[Symbol.asyncDispose]();
  controller.noteStep(0);
  for (const each of waiting) await expect(each).rejects.toThrow(/not open|closed/);
  expect(workflow.options.get(0)?.signal?.reason).toMatchObject({
    code: "episode_aborted",
    message: expect.stringMatching(/not open|closed/) as string,
    cause: expect.any(Error) as Error,
  });
  await expect(controller.waitBatch()).rejects.toThrow(/not open|closed/);
});

it("fails if its version is no integer", () => {
  const limits = { maxConcurrentRollouts: 1, maxStaleness: 0, consumerBatchSize: 1, version: -1 };
  const make = () => new RolloutController(new HeldWorkflow(), new HeldProxy().engine, limits);
  const message = "version must be an integer of at least 0; received the number -1.";
  expect(make).toThrow(expect.objectContaining({ code: "invalid_option", message }) as Error);
});

/** Goes on with the job of a database, which has one task. */
async function resumeOneTask(database: SqliteDatabase, workflow: HeldWorkflow) {
  const limits = { maxConcurrentRollouts: 1, maxStaleness: 0, consumerBatchSize: 1 };
  const store = await openTestStore({ resume: true }, database);
  const { engine } = new HeldProxy();
  const controller = new RolloutController(workflow, engine, limits, { store, isResumable: true });
  await store.begin((change) => controller.noteChange(change));
  controller.submit(0);
  await settled();
  return controller;
}

it("exports the sessions of an earlier process at its own proxy, which may have another address", async () => {
  const database = new SqliteDatabase();
  const takeBatch = async (isFirst: boolean) => {
    const workflow = new HeldWorkflow();
    const controller = await resumeOneTask(database, workflow);
    if (isFirst) await workflow.end(0);
    return (await controller.waitBatch())?.tasks[0]?.accepted[0];
  };
  const first = await takeBatch(true);
  expect(first).toMatchObject({ sessionId: "s0", url: "http://127.0.0.1:9" });
  expect(await takeBatch(false)).toEqual({ ...first, url: "http://proxy" });
});

it("gives the sessions of a killed process to an agent that can resume, with the new lease", async () => {
  const database = new SqliteDatabase();
  const start = async (canResume?: boolean) => {
    const workflow = Object.assign(new HeldWorkflow(), canResume === undefined ? {} : { canResume });
    await resumeOneTask(database, workflow);
    return workflow.options.get(0);
  };
  const first = await start(true);
  expect(first?.leaseId).toMatch(/^lease-/);
  const second = await start();
  expect(second?.leaseId).not.toBe(first?.leaseId);
  const third = await start();
  const admin = { activeSessions: async (leaseId: string) => [`of ${leaseId}`] } as unknown as AdminClient;
  const taken = [await third?.cutSessions?.take(admin), await third?.cutSessions?.take(admin)];
  expect(taken).toEqual([{ sessionId: `of ${first?.leaseId}`, leaseId: first?.leaseId }, undefined]);
});

it("warns of no leak, however many tasks it runs", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  const { submit, workflow } = controlled({ maxConcurrentRollouts: 50, consumerBatchSize: 50 });
  await submit(50);
  expect(workflow.started).toHaveLength(50);
  expect(warnings).toEqual([]);
});

it("runs tasks with a runner of its own, which never sees the workflow", async () => {
  const seen: unknown[] = [];
  const runner = {
    runTask: async (task: { readonly index: number; readonly data: number; readonly taskId: string }) => {
      seen.push([task.index, task.data, task.taskId]);
      return acceptedAs("s");
    },
  };
  const limits = { maxConcurrentRollouts: 1, maxStaleness: 0, consumerBatchSize: 1 };
  const controller = new RolloutController<number>(runner, new HeldProxy().engine, limits);
  controller.submit(7, { taskId: "t" });
  expect((await controller.waitBatch())?.sessionIds).toEqual(["s"]);
  expect(seen).toEqual([[0, 7, "t"]]);
});

it("cannot run tasks again if that cannot be stored", async () => {
  const database = new SqliteDatabase();
  const store = await openTestStore({}, database);
  const workflow = new HeldWorkflow();
  const limits = { maxConcurrentRollouts: 1, maxStaleness: 0, consumerBatchSize: 1 };
  const controller = new RolloutController(workflow, new HeldProxy().engine, limits, { store, isResumable: true });
  await store.begin((change) => controller.noteChange(change));
  controller.submit(0);
  await settled();
  await workflow.end(0);
  const batch = await controller.waitBatch();
  if (!batch) throw new Error("no batch");
  await database[Symbol.asyncDispose]();
  await expect(controller.rerun(batch, new Set(["s0"]), "lost")).rejects.toThrow(/not open|closed/);
});
