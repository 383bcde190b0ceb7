import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LeasedTasks } from "../../../src/job/leases/leased-tasks.js";
import { SqliteDatabase } from "../../../src/job/sqlite.js";
import { createDeferred } from "../../../src/support/async/deferred.js";
import { settled } from "../held-workflow.js";
import { openTestStore } from "../open-test-store.js";
import { gatedDatabase, leasing, reportOf } from "./leasing.js";
import { pausedClock } from "./paused-clock.js";

describe("LeasedTasks", () => {
  it("gives tasks to a worker that waits, and ends them with its reports", async () => {
    const { tasks, run, lease } = await leasing();
    const waiting = lease("w", 4);
    const ended = [run(0), run(1)];
    const leases = await waiting;
    expect(leases.map(({ task, task_id, data }) => [task, task_id, data])).toEqual([
      [0, "task-0", { number: 0 }],
      [1, "task-1", { number: 1 }],
    ]);
    expect(await tasks.report(leases.map((each) => reportOf(each, `s${each.task}`)))).toEqual([]);
    const results = await Promise.all(ended);
    expect(results.map(({ accepted }) => accepted.map(({ sessionId }) => sessionId))).toEqual([["s0"], ["s1"]]);
    expect(results[0]?.accepted[0]?.rewards).toEqual(new Map([["i", 1]]));
  });

  it("shares tasks among the workers that called lately", async () => {
    const { tasks, run, lease } = await leasing();
    tasks.workers.add("a", "a");
    tasks.workers.add("b", "b");
    for (let i = 0; i < 6; i++) void run(i);
    const first = await lease("a", 64);
    expect(first.map(({ task }) => task)).toEqual([0, 1, 2]);
    expect((await lease("b", 64)).map(({ task }) => task)).toEqual([3, 4, 5]);
  });

  it("runs a task of a lost worker again, and deletes the sessions that it announced", async () => {
    const { tasks, run, lease, removed, counts } = await leasing();
    const ended = run(0);
    const [lost] = await lease("a");
    if (!lost) throw new Error("no lease");
    expect(await tasks.announce([{ lease_id: lost.lease_id, session_id: "s1" }])).toEqual([]);
    await tasks.loseWorker("a", "it died");
    await expect.poll(() => removed).toEqual(["s1"]);
    const [next] = await lease("b");
    if (!next) throw new Error("no lease");
    expect(next).toMatchObject({ task: 0, attempt: 2 });
    // The first worker was only slow: nothing of it counts.
    expect(await tasks.announce([{ lease_id: lost.lease_id, session_id: "s2" }])).toEqual([lost.lease_id]);
    expect(await tasks.report([reportOf(lost, "s1", "s3")])).toEqual([lost.lease_id]);
    await expect.poll(() => new Set(removed)).toEqual(new Set(["s1", "s2", "s3"]));
    await tasks.report([reportOf(next, "s4")]);
    expect((await ended).accepted).toMatchObject([{ sessionId: "s4" }]);
    expect(await counts()).toMatchObject({ lost: 1, refused: 1, queued: 0, leased: 0 });
  });

  it("rejects a task whose attempts were all lost, with the reason of each", async () => {
    const { tasks, run, lease } = await leasing({ maxAttempts: 2 });
    const ended = run(0);
    for (const worker of ["a", "b"]) {
      await lease(worker);
      await tasks.loseWorker(worker, `rollout worker ${worker} ended with SIGKILL`);
    }
    const { accepted, rejected } = await ended;
    expect(accepted).toEqual([]);
    expect(rejected).toMatchObject([
      {
        groupId: "task-0",
        reason: {
          code: "worker_lost",
          message:
            "Every attempt was lost (rollout.max_attempts: 2): attempt 1: rollout worker a ended with SIGKILL; " +
            "attempt 2: rollout worker b ended with SIGKILL.",
        },
      },
    ]);
  });

  it("takes the leases of a worker that sends no heartbeat", async () => {
    const { run, lease, counts } = await leasing({ leaseSeconds: 0.1 });
    void run(0);
    await lease("silent");
    const [again] = await lease("b");
    expect(again).toMatchObject({ task: 0, attempt: 2 });
    expect((await counts()).lost).toBe(1);
  });

  it("does not give a task to a silent worker again that still waits for more", async () => {
    const { run, lease, counts } = await leasing({ leaseSeconds: 0.1 });
    void run(0);
    expect(await lease("silent")).toHaveLength(1);
    // Its process hangs, or its machine is gone, but its request is still open.
    expect(await lease("silent", 2, null)).toEqual([]);
    expect(await counts()).toMatchObject({ lost: 1, queued: 1, leased: 0 });
    expect(await lease("b")).toMatchObject([{ task: 0, attempt: 2 }]);
  });

  it("gives tasks to others whose answer a worker did not get, without counting an attempt", async () => {
    const { run, lease } = await leasing();
    void run(0);
    void run(1);
    const leases = await lease("a", 2);
    const kept = leases.slice(0, 1).map(({ lease_id }) => lease_id);
    expect(await lease("a", 1, kept)).toMatchObject([{ task: 1, attempt: 1 }]);
  });

  it("gives tasks back that a worker did not finish, and deletes their sessions", async () => {
    const { tasks, run, lease, removed } = await leasing({ maxAttempts: 1 });
    void run(0);
    const [first] = await lease("a");
    await tasks.announce([{ lease_id: first?.lease_id ?? "", session_id: "s" }]);
    expect(await tasks.giveBack([first?.lease_id ?? "", "unknown"])).toBe(1);
    await expect.poll(() => removed).toEqual(["s"]);
    expect(await lease("b")).toMatchObject([{ task: 0, attempt: 1 }]);
  });

  it("takes all tasks from their workers when the job is stopped, and refuses their reports", async () => {
    const { tasks, store, run, lease, removed, swept, counts } = await leasing();
    void run(0);
    void run(1);
    const [first] = await lease("a");
    if (!first) throw new Error("no lease");
    await tasks.announce([{ lease_id: first.lease_id, session_id: "s" }]);
    expect((await store.stop()).map(({ index }) => index)).toEqual([0, 1]);
    await expect.poll(() => [removed, swept]).toEqual([["s"], [first.lease_id]]);
    expect(await tasks.heartbeat([first.lease_id])).toEqual([first.lease_id]);
    expect(await tasks.report([reportOf(first, "s")])).toEqual([first.lease_id]);
    expect(await counts()).toMatchObject({ waiting: 2, queued: 0, leased: 0, rejected: 0, lost: 0 });
  });

  it("runs a task again whose sessions were lost later, and deletes the others", async () => {
    const { tasks, store, run, lease, removed, counts } = await leasing({ maxAttempts: 2 });
    const first = run(0);
    const [lost] = await lease("a");
    if (!lost) throw new Error("no lease");
    await tasks.report([reportOf(lost, "s1", "s2")]);
    await first;
    const reason = "its sessions were lost with their proxy";
    await store.rerun([0], new Map([[0, ["s2"]]]), reason);
    await expect.poll(() => removed).toEqual(["s2"]);
    expect(await tasks.report([reportOf(lost, "s1")])).toEqual([lost.lease_id]);
    const second = run(0);
    const [next] = await lease("a");
    expect(next?.attempt).toBe(2);
    await tasks.report([reportOf(next ?? lost, "s3")]);
    expect((await second).accepted).toMatchObject([{ sessionId: "s3" }]);
    const third = run(0);
    await store.rerun([0], new Map([[0, []]]), reason);
    expect((await third).rejected).toMatchObject([{ reason: { code: "worker_lost" } }]);
    expect(await counts()).toMatchObject({ accepted: 0, rejected: 1, queued: 0, lost: 2 });
  });

  it("deletes the sessions of rejected episodes, because the worker may have failed to", async () => {
    const { tasks, run, lease, removed } = await leasing();
    const ended = run(0);
    const [held] = await lease("a");
    if (!held) throw new Error("no lease");
    const rejection = { session_id: "s1", group_id: null, code: "agent_error", message: "no", error: null };
    const report = reportOf(held);
    await tasks.report([{ ...report, result: { ...report.result, rejected: [rejection] } }]);
    await ended;
    await expect.poll(() => removed).toEqual(["s1"]);
  });

  it("keeps the sessions of rejected episodes until they are discarded, if it is told so", async () => {
    const { tasks, run, lease, removed, store } = await leasing({ keepsRejected: true });
    const ended = run(0);
    const [held] = await lease("a");
    if (!held) throw new Error("no lease");
    const sessions = ["s1", "s2", "unreported"];
    await tasks.announce(sessions.map((session_id) => ({ lease_id: held.lease_id, session_id })));
    const rejection = { session_id: "s2", group_id: null, code: "agent_error", message: "no", error: null };
    const report = reportOf(held, "s1");
    await tasks.report([{ ...report, result: { ...report.result, rejected: [rejection] } }]);
    expect((await ended).rejected).toMatchObject([{ sessionId: "s2" }]);
    await expect.poll(() => removed).toEqual(["unreported"]);
    await store.discard(["s2"]);
    await expect.poll(() => removed).toEqual(["unreported", "s2"]);
  });

  it("loses the attempt of a report with the session of another task, and keeps that session", async () => {
    const { tasks, run, lease, removed } = await leasing();
    const [first, second] = [run(0), run(1)];
    const [one, two] = await lease("a", 2);
    if (!one || !two) throw new Error("no leases");
    expect(await tasks.report([reportOf(one, "s1")])).toEqual([]);
    expect((await first).accepted).toMatchObject([{ sessionId: "s1" }]);
    // Another task's session, the same session twice, and another worker's report about an ended lease.
    expect(await tasks.report([reportOf(two, "s2", "s1")])).toEqual([two.lease_id]);
    const [again] = await lease("a");
    if (!again) throw new Error("no lease");
    expect(again).toMatchObject({ task: 1, attempt: 2 });
    expect(await tasks.report([reportOf({ ...one, lease_id: "of nobody" }, "s1")])).toEqual(["of nobody"]);
    expect(await tasks.report([reportOf(again, "s3", "s3")])).toEqual([again.lease_id]);
    const [last] = await lease("a");
    if (!last) throw new Error("no lease");
    await tasks.report([reportOf(last, "s4")]);
    expect((await second).accepted).toMatchObject([{ sessionId: "s4" }]);
    await expect.poll(() => [...removed].toSorted()).toEqual(["s2", "s3"]);
  });

  it("goes on with the leases of a process before it, whose workers may be faster than the controller", async () => {
    const database = new SqliteDatabase();
    const before = await leasing({ database, resume: true });
    for (const index of [0, 1, 2]) void before.run(index);
    const [done, held, lost] = await before.lease("a", 3);
    if (!done || !held || !lost) throw new Error("no leases");
    await before.tasks.report([reportOf(done, "s0")]);
    await before.tasks.announce([{ lease_id: held.lease_id, session_id: "s1" }]);
    before.tasks.close();
    await before.store.loseWorker("nobody", "it ended");

    const { tasks, removed, counts } = await leasing({ database, resume: true });
    expect(await tasks.report([reportOf(held, "s1")])).toEqual([]);
    expect(await tasks.report([reportOf(done, "s0")])).toEqual([]);
    expect(await tasks.heartbeat([held.lease_id, lost.lease_id])).toEqual([held.lease_id]);
    expect(await counts()).toMatchObject({ accepted: 2, leased: 1, lost: 0 });
    await tasks.giveBack([lost.lease_id]);
    expect(removed).toEqual([]);
  });

  it("tells a worker that waits that no more tasks follow", async () => {
    const { tasks, lease } = await leasing();
    const waiting = lease("a", 1, [], 60);
    tasks.finish();
    expect(await waiting).toEqual([]);
    expect(tasks.done).toBe(true);
  });
});

describe("the workers of LeasedTasks", () => {
  it("keep their names while they live: while they wait, or called within the lease time and 40 seconds", async () => {
    const clock = pausedClock();
    const { tasks, run, lease, counts } = await leasing({ leaseSeconds: 50 });
    await tasks.register("old", "same", false);
    await tasks.register("old", "same", false);
    await tasks.register("other", "another", false);
    void run(0);
    await lease("old");
    clock.now += 49_001;
    await expect(tasks.register("new", "same", false)).rejects.toMatchObject({
      code: "rollout_worker_name_taken",
      param: "name",
      message: expect.stringContaining("Another rollout worker is called same; it called 50 s ago.") as string,
    });
    clock.now += 999;
    const waiting = lease("old", 1, null);
    await expect.poll(() => tasks.counts.idle).toBe(1);
    await expect(tasks.register("new", "same", false)).rejects.toMatchObject({ code: "rollout_worker_name_taken" });
    tasks.finish();
    expect(await waiting).toEqual([]);
    expect(await counts()).toMatchObject({ leased: 1, lost: 0 });
    await tasks.register("new", "same", false);
    expect(await counts()).toMatchObject({ leased: 0, queued: 1, lost: 1 });
    expect(tasks.workers.all().map(({ id }) => id)).toEqual(["other", "new"]);
  });

  it("live for 40 seconds without a call however short their leases are", async () => {
    const clock = pausedClock();
    const { tasks } = await leasing({ leaseSeconds: 10 });
    await tasks.register("old", "same", false);
    clock.now += 39_999;
    await expect(tasks.register("new", "same", false)).rejects.toMatchObject({ code: "rollout_worker_name_taken" });
    clock.now += 1;
    await tasks.register("new", "same", false);
    expect(tasks.workers.all()).toEqual([{ id: "new", name: "same", lastCall: clock.now }]);
  });

  it("share the tasks without those that have not called for the lease time", async () => {
    const clock = pausedClock();
    const { tasks, run, lease } = await leasing({ leaseSeconds: 10 });
    tasks.workers.add("silent", "silent");
    clock.now += 10_001;
    tasks.workers.add("a", "a");
    for (let i = 0; i < 4; i++) void run(i);
    expect(await lease("a", 64)).toHaveLength(4);
  });

  it("are lost by name, each with the reason", async () => {
    const { tasks, run, lease, counts } = await leasing({ maxAttempts: 1 });
    await tasks.register("a", "first", false);
    await tasks.register("b", "second", false);
    const ended = [run(0), run(1)];
    await lease("a");
    await lease("b");
    await tasks.loseNamed("nobody", "no reason");
    await tasks.loseNamed("first", "its process ended");
    const [rejected] = (await ended[0])?.rejected ?? [];
    expect(rejected?.reason.message).toContain("attempt 1: its process ended");
    expect(tasks.workers.all().map(({ id }) => id)).toEqual(["b"]);
    expect(await counts()).toMatchObject({ leased: 1, rejected: 1 });
  });

  it("end in order: their request is not served, and their tasks go to others", async () => {
    const { tasks, run, lease, counts } = await leasing();
    await tasks.register("a", "first", false);
    void run(0);
    const [held] = await lease("a");
    const waiting = lease("a", 1, null);
    await expect.poll(() => tasks.counts.idle).toBe(1);
    expect(await tasks.dismiss("a", [held?.lease_id ?? ""])).toBe(1);
    expect(await waiting).toEqual([]);
    expect(tasks.workers.all()).toEqual([]);
    expect(await counts()).toMatchObject({ queued: 1, leased: 0, lost: 0, idle: 0 });
    // A worker of this id that starts again is served.
    expect((await tasks.update({ workerId: "a", sessions: [], reports: [], maxHeld: 1 })).leases).toHaveLength(1);
  });

  it("are awaited if they had leases before a restart", async () => {
    const store = await openTestStore();
    const tasks = new LeasedTasks({ store, leaseSeconds: 1, readData: () => 0, earlierWorkers: ["a"] });
    onTestFinished(() => tasks.close());
    expect(tasks.workers.hasAlive(40)).toBe(true);
  });

  it("get the leases that they can resume, with the data and the lost leases of the task", async () => {
    const { tasks, run, lease } = await leasing();
    void run(3);
    const request = { workerId: "a", count: 1, waitSeconds: 5, canResume: true };
    const [first] = await tasks.lease(request, new AbortController().signal);
    await tasks.loseWorker("a", "it died");
    expect(await lease("b")).toEqual([
      {
        lease_id: expect.stringMatching(/^lease-/) as string,
        task: 3,
        attempt: 2,
        task_id: "task-3",
        group_id: "task-3",
        data: { number: 3 },
        cut_leases: [first?.lease_id],
      },
    ]);
  });
});

describe("the clock of leases", () => {
  const TICK = 500;

  /** A job with a lease of 10 seconds. The test moves the clock and decides when it ticks. */
  async function ticking() {
    const clock = pausedClock();
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { gate, database } = gatedDatabase();
    const job = await leasing({ leaseSeconds: 10, database });
    await job.tasks.register("a", "first", false);
    void job.run(0);
    await job.lease("a");
    const tick = async (passed = TICK, times = 1) => {
      for (let i = 0; i < times; i++) {
        clock.now += passed;
        vi.advanceTimersByTime(TICK);
        await settled();
      }
    };
    return { ...job, database, gate, tick };
  }

  it("ends a lease after its time without a heartbeat", async () => {
    const { tick, counts } = await ticking();
    await tick(TICK, 19);
    expect(await counts()).toMatchObject({ leased: 1, lost: 0 });
    await tick();
    expect(await counts()).toMatchObject({ leased: 0, lost: 1 });
  });

  it("counts at most two ticks for a pause of the process", async () => {
    const { tick, counts } = await ticking();
    await tick(3_600_000, 9);
    expect(await counts()).toMatchObject({ leased: 1, lost: 0 });
    await tick(3_600_000);
    expect(await counts()).toMatchObject({ leased: 0, lost: 1 });
  });

  it("does not tick while its last tick is being stored", async () => {
    const { tick, counts, gate } = await ticking();
    gate.closed = createDeferred<void>();
    await tick(TICK, 40);
    gate.closed.resolve();
    await settled();
    expect(await counts()).toMatchObject({ leased: 1, lost: 0 });
    delete gate.closed;
    await tick(TICK, 40);
    expect(await counts()).toMatchObject({ leased: 0, lost: 1 });
  });

  it("goes on if a tick cannot be stored, until the job ends", async () => {
    const { tick, tasks, database, store } = await ticking();
    await database[Symbol.asyncDispose]();
    await tick(TICK, 2);
    expect(store.hasFailed).toBe(true);
    expect(vi.getTimerCount()).toBe(1);
    tasks.close();
    expect([vi.getTimerCount(), tasks.done]).toEqual([0, false]);
  });

  it("does not keep the process alive", async () => {
    const store = await openTestStore();
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const before = timers();
    const tasks = new LeasedTasks({ store, leaseSeconds: 1, readData: () => 0 });
    onTestFinished(() => tasks.close());
    expect(timers()).toBe(before);
  });
});
