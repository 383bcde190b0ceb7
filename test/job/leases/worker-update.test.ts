import { describe, expect, it } from "vitest";
import type { JobDatabase } from "../../../src/job/database.js";
import type { WorkerUpdate } from "../../../src/job/leases/leased-tasks.js";
import { SqliteDatabase } from "../../../src/job/sqlite.js";
import { leasing, reportOf } from "./leasing.js";

async function updating(options: Parameters<typeof leasing>[0] = {}) {
  const leased = await leasing(options);
  const update = (parts: Partial<WorkerUpdate>) =>
    leased.tasks.update({ workerId: "a", sessions: [], reports: [], ...parts });
  return { ...leased, update };
}

describe("an update of a worker", () => {
  it("is answered with the task that could start because the reported one ended", async () => {
    const { run, lease, update } = await updating();
    void run(0).then(() => run(1));
    const [first] = await lease("a");
    if (!first) throw new Error("no lease");
    const answer = await update({ reports: [reportOf(first, "s")], maxHeld: 1 });
    expect(answer).toMatchObject({ lost: [], refused: [], leases: [{ task: 1, data: { number: 1 } }] });
  });

  it("does not wait for tasks", async () => {
    const { update, tasks } = await updating();
    expect(await update({ maxHeld: 1 })).toEqual({ lost: [], refused: [], leases: [] });
    expect(tasks.counts.idle).toBe(0);
  });

  it("gets no tasks without a maximum of leases", async () => {
    const { run, update, counts } = await updating();
    void run(0);
    expect(await update({})).toMatchObject({ leases: [] });
    expect((await counts()).queued).toBe(1);
  });

  it("gets tasks up to its maximum of leases, however many calls it makes", async () => {
    const { run, tasks, update } = await updating();
    const waiting = tasks.lease(
      { workerId: "a", count: 4, maxHeld: 2, held: [], waitSeconds: 5 },
      new AbortController().signal,
    );
    for (let i = 0; i < 6; i++) void run(i);
    expect((await waiting).map(({ task }) => task)).toEqual([0, 1]);
    expect((await update({ maxHeld: 3 })).leases.map(({ task }) => task)).toEqual([2]);
    expect((await update({ maxHeld: 3 })).leases).toEqual([]);
  });

  it("takes the room of a request of the same worker that waits, which later goes on", async () => {
    const { run, lease, tasks, update, counts } = await updating();
    void run(0);
    const [first] = await lease("a");
    if (!first) throw new Error("no lease");
    const waiting = lease("a", 2, null);
    await expect.poll(() => tasks.counts.idle).toBe(1);
    void run(1);
    void run(2);
    expect((await update({ maxHeld: 2 })).leases.map(({ task }) => task)).toEqual([1]);
    expect(await counts()).toMatchObject({ queued: 1, leased: 2, idle: 1 });
    expect(await update({ reports: [reportOf(first, "s")] })).toMatchObject({ refused: [], leases: [] });
    void run(3);
    expect((await waiting).map(({ task }) => task)).toEqual([2]);
  });

  it("shares the tasks with a worker that waits", async () => {
    const { run, lease, tasks, update } = await updating();
    tasks.workers.add("a", "a");
    tasks.workers.add("b", "b");
    const other = lease("b", 64);
    for (let i = 0; i < 6; i++) void run(i);
    expect((await update({ maxHeld: 64 })).leases).toHaveLength(3);
    expect(await other).toHaveLength(3);
  });

  it("tells which sessions came too late, and which reports", async () => {
    const { run, lease, tasks, update, removed } = await updating();
    void run(0);
    const [lost] = await lease("a");
    if (!lost) throw new Error("no lease");
    await tasks.loseWorker("a", "it died");
    const { lease_id } = lost;
    const answer = await update({ sessions: [{ lease_id, session_id: "s1" }], reports: [reportOf(lost, "s2")] });
    expect(answer).toEqual({ lost: [lease_id], refused: [lease_id], leases: [] });
    await expect.poll(() => removed.toSorted()).toEqual(["s1", "s2"]);
    expect(tasks.counts.refused).toBe(1);
  });

  it("notes sessions before reports of the same call", async () => {
    const { run, lease, update, removed } = await updating();
    const ended = run(0);
    const [held] = await lease("a");
    if (!held) throw new Error("no lease");
    const sessions = ["s1", "s2"].map((session_id) => ({ lease_id: held.lease_id, session_id }));
    expect(await update({ sessions, reports: [reportOf(held, "s1")] })).toMatchObject({ lost: [], refused: [] });
    expect((await ended).accepted).toMatchObject([{ sessionId: "s1" }]);
    // The session that the report does not name is deleted.
    await expect.poll(() => removed).toEqual(["s2"]);
  });

  it("gives back the leases that the worker does not know when it is repeated", async () => {
    const { run, update, counts } = await updating();
    const ended = run(0);
    const { leases: lost } = await update({ maxHeld: 1 });
    const { leases } = await update({ maxHeld: 1, held: [] });
    expect(leases).toMatchObject([{ task: 0, attempt: 1 }]);
    expect(leases[0]?.lease_id).not.toBe(lost[0]?.lease_id);
    expect(await counts()).toMatchObject({ leased: 1, lost: 0 });
    const report = reportOf(leases[0] ?? ({} as never), "s");
    // The answer to this report is lost: the repeated call is answered the same.
    for (let i = 0; i < 2; i++) expect(await update({ reports: [report], held: [] })).toMatchObject({ refused: [] });
    expect((await ended).accepted).toHaveLength(1);
  });

  it("gets no tasks if its worker is lost meanwhile", async () => {
    const { run, update, tasks, counts } = await updating();
    void run(0);
    const answer = update({ maxHeld: 1 });
    await tasks.loseWorker("a", "it died");
    expect(await answer).toMatchObject({ leases: [] });
    expect(await counts()).toMatchObject({ queued: 1, leased: 0, lost: 0 });
  });

  it("is answered when its changes are durable", async () => {
    let commit: (() => void) | undefined;
    const memory = new SqliteDatabase();
    const transaction: JobDatabase["transaction"] = (work, committed) =>
      memory.transaction(async (query) => {
        const result = await work(query);
        if (commit === undefined) return result;
        await new Promise<void>((resolve) => (commit = resolve));
        return result;
      }, committed);
    const database = { transaction, [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose]() };
    const { run, lease, update } = await updating({ database });
    const ended = run(0);
    const [held] = await lease("a");
    if (!held) throw new Error("no lease");
    let isAnswered = false;
    const wait = () => {};
    commit = wait;
    const answer = update({ reports: [reportOf(held, "s")] }).finally(() => (isAnswered = true));
    await expect.poll(() => commit).not.toBe(wait);
    expect(isAnswered).toBe(false);
    const go = commit;
    commit = undefined;
    go();
    expect(await answer).toMatchObject({ refused: [] });
    expect((await ended).accepted).toHaveLength(1);
  });
});
