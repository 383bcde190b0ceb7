import { describe, expect, it } from "vitest";
import { TaskLeases } from "../../../src/rollout/lease/task-leases.js";

function leasing(limits: Partial<{ leaseMilliseconds: number; maxAttempts: number }> = {}) {
  let ids = 0;
  return new TaskLeases({ leaseMilliseconds: 1000, maxAttempts: 3, ...limits }, () => `lease-${ids++}`);
}

const runOf = ({ id, task, attempt }: { id: string; task: number; attempt: number }) => ({
  leaseId: id,
  task,
  attempt,
});

function leaseOne(leases: TaskLeases, worker = "w", now = 0) {
  const [lease] = leases.lease(worker, 1, now);
  if (!lease) throw new Error("no task waits");
  return lease;
}

describe("TaskLeases", () => {
  it("gives each task to one worker, in order of the tasks", () => {
    const leases = leasing();
    for (const task of [2, 0, 1]) leases.add(task);
    expect(leases.lease("a", 2, 0)).toEqual([
      { id: "lease-0", task: 0, attempt: 1, worker: "a" },
      { id: "lease-1", task: 1, attempt: 1, worker: "a" },
    ]);
    expect(leases.lease("b", 2, 0)).toEqual([{ id: "lease-2", task: 2, attempt: 1, worker: "b" }]);
    expect(leases.lease("b", 2, 0)).toEqual([]);
  });

  it("accepts one report of a task, and the same report again", () => {
    const leases = leasing();
    leases.add(0);
    const lease = leaseOne(leases);
    expect(leases.report(runOf(lease))).toBe("accepted");
    expect(leases.report(runOf(lease))).toBe("repeated");
    expect(leases).toMatchObject({ waiting: 0, leased: 0 });
  });

  it.each([
    ["another task", { task: 1 }],
    ["another attempt", { attempt: 2 }],
    ["a lease that nobody holds", { leaseId: "lease-9" }],
  ])("refuses a report with %s", (_, wrong) => {
    const leases = leasing();
    leases.add(0);
    leases.add(1);
    const lease = leaseOne(leases);
    leaseOne(leases);
    expect(leases.report({ ...runOf(lease), ...wrong })).toBe("refused");
    expect(leases.report(runOf(lease))).toBe("accepted");
  });

  it("takes a lease away without a heartbeat, and returns the sessions that were announced", () => {
    const leases = leasing();
    leases.add(0);
    const lease = leaseOne(leases);
    expect(leases.announce(lease.id, "s1")).toBe(true);
    expect(leases.expire(999)).toEqual([]);
    expect(leases.renew([lease.id], 999)).toEqual([]);
    expect(leases.expire(1998)).toEqual([]);
    expect(leases.expire(1999)).toEqual([{ ...lease, sessions: ["s1"], exhausted: undefined }]);
    expect(leases.renew([lease.id], 1999)).toEqual([lease.id]);
    expect(leases.announce(lease.id, "s2")).toBe(false);
    expect(leases.report(runOf(lease))).toBe("refused");
  });

  it("refuses a late report while the task runs again, and accepts that of the new run", () => {
    const leases = leasing();
    leases.add(0);
    const late = leaseOne(leases, "a", 0);
    leases.expire(1000);
    const next = leaseOne(leases, "b", 1000);
    expect(next).toMatchObject({ task: 0, attempt: 2, worker: "b" });
    expect(leases.report(runOf(late))).toBe("refused");
    expect(leases.report(runOf(next))).toBe("accepted");
    expect(leases.report(runOf(late))).toBe("refused");
  });

  it("removes a task whose last attempt is lost, with the reason of each attempt", () => {
    const leases = leasing({ maxAttempts: 2 });
    leases.add(0);
    leaseOne(leases, "a", 0);
    leases.expire(1000);
    leaseOne(leases, "b", 1000);
    const [ended] = leases.loseWorker("b", "rollout worker b ended with SIGKILL");
    expect(ended?.exhausted).toEqual([
      "rollout worker a sent no heartbeat for 1 s",
      "rollout worker b ended with SIGKILL",
    ]);
    expect(leases).toMatchObject({ waiting: 0, leased: 0 });
  });

  it("names a worker that sent no heartbeat as its caller does", () => {
    const leases = leasing({ maxAttempts: 1 });
    leases.add(0);
    leaseOne(leases, "a", 0);
    const [ended] = leases.expire(1000, (worker) => `name of ${worker}`);
    expect(ended?.exhausted).toEqual(["rollout worker name of a sent no heartbeat for 1 s"]);
  });

  it("gives a worker one task in its last attempt at a time, so that a deadly task ends alone", () => {
    const leases = leasing({ maxAttempts: 2 });
    for (const task of [0, 1, 2]) leases.add(task);
    leases.lease("a", 2, 0);
    leases.loseWorker("a", "task 1 killed it");
    expect(leases.lease("b", 3, 0).map(({ task }) => task)).toEqual([0, 2]);
    expect(leases.lease("b", 3, 0)).toEqual([]);
    expect(leases.lease("c", 3, 0).map(({ task }) => task)).toEqual([1]);
    expect(
      leases.loseWorker("c", "it killed this one too").map(({ task, exhausted }) => [task, exhausted?.length]),
    ).toEqual([[1, 2]]);
  });

  it("does not count an attempt whose lease is given back", () => {
    const leases = leasing({ maxAttempts: 1 });
    leases.add(0);
    leases.add(1);
    const lease = leaseOne(leases);
    expect(leases.giveBack(lease.id)).toEqual({ ...lease, sessions: [] });
    expect(leases.giveBack(lease.id)).toBeUndefined();
    expect(leaseOne(leases)).toMatchObject({ task: 0, attempt: 1 });
    expect(leases.report(runOf(lease))).toBe("refused");
  });

  it("takes only the leases of a worker that ended", () => {
    const leases = leasing();
    for (const task of [0, 1]) leases.add(task);
    leaseOne(leases, "a");
    const kept = leaseOne(leases, "b");
    expect(leases.loseWorker("a", "it ended")).toMatchObject([{ task: 0 }]);
    expect(leases.report(runOf(kept))).toBe("accepted");
    expect(leases.loseWorker("b", "it ended")).toEqual([]);
  });

  it("runs a task again that was removed and added, with its earlier losses", () => {
    const leases = leasing({ maxAttempts: 2 });
    leases.add(0);
    const first = leaseOne(leases);
    leases.report(runOf(first));
    leases.remove(0);
    expect(leases.report(runOf(first))).toBe("refused");
    leases.add(0, ["its sessions were lost"]);
    const second = leaseOne(leases);
    expect(second.attempt).toBe(2);
    expect(leases.report(runOf(first))).toBe("refused");
    expect(leases.loseWorker("w", "it ended")[0]?.exhausted).toEqual(["its sessions were lost", "it ended"]);
  });

  it("removes a task that nobody waits for, and returns the lease that a worker has", () => {
    const leases = leasing();
    for (const task of [0, 1]) leases.add(task);
    const lease = leaseOne(leases);
    leases.announce(lease.id, "s");
    expect(leases.remove(1)).toBeUndefined();
    expect(leases.remove(0)).toEqual({ ...lease, sessions: ["s"] });
    expect(leases.report(runOf(lease))).toBe("refused");
    expect(leases.lease("w", 9, 0)).toEqual([]);
  });

  it("keeps the leases, reports and lost attempts of a controller that restarts", () => {
    const leases = leasing({ maxAttempts: 2 });
    leases.restore({ id: "old", task: 3, attempt: 2, worker: "a", sessions: ["s"] }, ["lost"], 500);
    leases.restoreDone(4, "done", []);
    leases.add(3);
    leases.add(4);
    expect(leases).toMatchObject({ waiting: 0, leased: 1 });
    expect(leases.report({ leaseId: "done", task: 4, attempt: 1 })).toBe("repeated");
    expect(leases.expire(1499)).toEqual([]);
    const ended = leases.expire(1500);
    expect(ended).toMatchObject([{ task: 3, sessions: ["s"], exhausted: ["lost", expect.anything()] }]);
  });
});
