import { describe, expect, it, onTestFinished } from "vitest";
import { connectProxy } from "../../../src/rollout/connect.js";
import { RolloutController } from "../../../src/rollout/controller/controller.js";
import type { ControllerOptions } from "../../../src/rollout/controller/controller-options.js";
import { acceptedAs, HeldWorkflow, rejectedWith } from "./held-workflow.js";

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
  const submit = (count: number) => Array.from({ length: count }, (_, i) => controller.submit(i));
  return { workflow, controller, submit };
}

/** What has happened by now. */
async function readState(promise: Promise<unknown>): Promise<unknown> {
  return Promise.race([promise, new Promise((resolve) => setImmediate(resolve, "waiting"))]);
}

describe("a controller", () => {
  it("starts tasks in order, as many as staleness allows", async () => {
    const { workflow, controller, submit } = controlled({ maxConcurrentRollouts: 3, maxStaleness: 1 });
    submit(9);
    expect(workflow.started).toEqual([0, 1, 2]);
    await workflow.end(1);
    expect(workflow.started).toEqual([0, 1, 2, 3]);
    for (const each of [0, 2, 3]) await workflow.end(each);
    // (1 + 0 + 1) × 2 tasks are accepted. The next ones wait until the trainer has another version.
    expect(controller.counts).toMatchObject({ submitted: 9, waiting: 5, running: 0, accepted: 4 });
  });

  it("starts another task for a rejected one, and counts the reasons", async () => {
    const { workflow, controller, submit } = controlled();
    submit(5);
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
    submit(0);
    expect(controller.counts.submitted).toBe(0);
  });

  it("keeps a group with rejected members, and counts it as incomplete", async () => {
    const { workflow, controller, submit } = controlled({ consumerBatchSize: 1 });
    submit(1);
    await workflow.end(0, { ...rejectedWith("agent_error"), accepted: acceptedAs("a", "b").accepted });
    expect(controller.counts).toMatchObject({ accepted: 1, rejected: 0, incomplete: 1 });
    const batch = await controller.waitBatch();
    expect(batch?.sessionIds).toEqual(["a", "b"]);
    expect(batch?.tasks[0]?.rejected.map(({ reason }) => reason.code)).toEqual(["agent_error"]);
  });

  it("passes the task id and the group id of each task to the workflow", () => {
    const { workflow, controller } = controlled();
    controller.submit(0);
    controller.submit(1, { taskId: "math-7", groupId: "g" });
    expect(workflow.options.get(0)).toMatchObject({ taskId: "task-0", groupId: "task-0", export: "deferred" });
    expect(workflow.options.get(1)).toMatchObject({ taskId: "math-7", groupId: "g" });
  });
});

describe("batches", () => {
  it("have consumerBatchSize tasks, in the order of the tasks, whichever ended first", async () => {
    const { workflow, controller, submit } = controlled({ maxStaleness: 1 });
    submit(4);
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
    submit(6);
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
    submit(3);
    const batches = [controller.waitBatch(), controller.waitBatch(), controller.waitBatch()];
    controller.finish();
    for (const each of [0, 1, 2]) await workflow.end(each);
    expect((await Promise.all(batches)).map((batch) => batch?.sessionIds)).toEqual([["s0", "s1"], ["s2"], undefined]);
    expect(() => controller.submit(9)).toThrow(expect.objectContaining({ code: "no_more_tasks" }));
  });

  it("make room for other tasks if their sessions are lost", async () => {
    const { workflow, controller, submit } = controlled();
    submit(4);
    await workflow.end(0);
    await workflow.end(1);
    const batch = await controller.waitBatch();
    expect(workflow.started).toEqual([0, 1]);
    if (batch) controller.lose(batch);
    expect(workflow.started).toEqual([0, 1, 2, 3]);
    expect(controller.counts).toMatchObject({ accepted: 0, rejected: 2, running: 2 });
  });

  it("keep the other tasks for the next batch if some run again", async () => {
    const { workflow, controller, submit } = controlled({ consumerBatchSize: 3 });
    submit(4);
    for (const each of [0, 1, 2]) await workflow.end(each);
    const batch = await controller.waitBatch();
    if (batch) controller.rerun(batch, ({ index }) => index === 1);
    expect(workflow.started).toEqual([0, 1, 2, 1]);
    expect(controller.counts).toMatchObject({ accepted: 2, rejected: 0, running: 1, waiting: 1 });
    expect(workflow.options.get(1)).toMatchObject({ taskId: "task-1", groupId: "task-1" });
    const again = controller.waitBatch();
    await workflow.end(1, acceptedAs("s1-again"));
    expect((await again)?.sessionIds).toEqual(["s0", "s1-again", "s2"]);
  });

  it("go on with the tasks that ended before a restart", async () => {
    const { workflow, controller } = controlled({ consumerBatchSize: 2, version: 0 });
    const restored = { taskId: "t", data: 1, version: 0 };
    expect(controller.restore("consumed")).toBe(0);
    expect(controller.restore({ ...restored, ...acceptedAs("s1") })).toBe(1);
    expect(controller.restore({ ...restored, ...rejectedWith("agent_error") })).toBe(2);
    controller.pause();
    expect(controller.submit(3)).toBe(3);
    controller.finish();
    expect(controller.counts).toMatchObject({ submitted: 4, waiting: 1, accepted: 1, rejected: 1, running: 0 });
    expect(workflow.started).toEqual([]);
  });

  it("are not waited for after the signal aborts", async () => {
    const { workflow, controller, submit } = controlled();
    submit(2);
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

describe("a controller that is paused or stopped", () => {
  it("starts no task while it is paused; running tasks go on", async () => {
    const { workflow, controller, submit } = controlled({ maxConcurrentRollouts: 1, maxStaleness: 9 });
    submit(3);
    controller.pause();
    await workflow.end(0);
    expect(workflow.started).toEqual([0]);
    controller.resume();
    expect(workflow.started).toEqual([0, 1]);
  });

  it("aborts running tasks and drops waiting ones when it stops; accepted ones can still be taken", async () => {
    const { workflow, controller, submit } = controlled({ maxConcurrentRollouts: 3, maxStaleness: 9 });
    submit(9);
    await workflow.end(1);
    await controller.stop();
    expect((await controller.waitBatch())?.sessionIds).toEqual(["s1"]);
    expect(await controller.waitBatch()).toBeUndefined();
    expect(controller.counts).toMatchObject({ waiting: 0, running: 0, accepted: 1, rejected: 3 });
    expect([...controller.counts.rejectedEpisodes]).toEqual([["episode_aborted", 3]]);
  });
});
