import { describe, expect, it } from "vitest";
import type { Updates, WireReport, WireSession } from "../../../src/rollout/lease/protocol.js";
import { WorkerUpdates } from "../../../src/rollout/worker/worker-updates.js";
import { createDeferred } from "../../../src/support/async/deferred.js";

const NOTHING: Updates = { lost: [], refused: [], leases: [] };
/** Longer than a test runs. */
const FOREVER = 1_000_000;

const session = (lease_id: string): WireSession => ({ lease_id, session_id: `s-${lease_id}` });
const report = (lease_id: string): WireReport => ({
  lease_id,
  task: 0,
  attempt: 1,
  result: { accepted: [], rejected: [] },
});

function updating(answers: (number: number) => Promise<Partial<Updates>> = () => Promise.resolve({}), pauses = [0, 0]) {
  const calls: string[][] = [];
  const [sessionPause = 0, reportPause = 0] = pauses;
  const updates = new WorkerUpdates({
    send: async (sessions, reports) => {
      calls.push([...sessions, ...reports].map(({ lease_id }) => lease_id));
      return { ...NOTHING, ...(await answers(calls.length)) };
    },
    pauses: { session: () => sessionPause, report: () => reportPause },
  });
  return { updates, calls };
}

describe("updates of a worker", () => {
  it("send what comes in the same event turn in one call", async () => {
    const { updates, calls } = updating();
    const all = [updates.announce(session("a")), updates.report(report("b")), updates.announce(session("c"))];
    expect(await Promise.all(all)).toEqual([true, true, true]);
    expect(calls).toEqual([["a", "c", "b"]]);
  });

  it("tell each session and report whether it counts", async () => {
    const { updates } = updating(() => Promise.resolve({ lost: ["a"], refused: ["d"] }));
    const all = [
      updates.announce(session("a")),
      updates.announce(session("b")),
      updates.report(report("c")),
      updates.report(report("d")),
    ];
    expect(await Promise.all(all)).toEqual([false, true, true, false]);
  });

  it("send what comes during a call in the next one", async () => {
    const first = createDeferred<void>();
    const { updates, calls } = updating(async (number) => {
      if (number === 1) await first.promise;
      return {};
    });
    const all = [updates.report(report("a"))];
    await expect.poll(() => calls).toEqual([["a"]]);
    all.push(updates.report(report("b")), updates.announce(session("c")));
    first.resolve();
    expect(await Promise.all(all)).toEqual([true, true, true]);
    expect(calls).toEqual([["a"], ["c", "b"]]);
  });

  it("send a report with a session that may wait less long", async () => {
    const { updates, calls } = updating(undefined, [0, FOREVER]);
    const reported = updates.report(report("a"));
    expect(await updates.announce(session("b"))).toBe(true);
    expect(await reported).toBe(true);
    expect(calls).toEqual([["b", "a"]]);
  });

  it("fail together if the call fails, and the next call is sent nevertheless", async () => {
    const { updates } = updating((number) => (number === 1 ? Promise.reject(new Error("gone")) : Promise.resolve({})));
    const all = await Promise.allSettled([updates.report(report("a")), updates.announce(session("b"))]);
    expect(all).toMatchObject([{ reason: { message: "gone" } }, { reason: { message: "gone" } }]);
    expect(await updates.report(report("c"))).toBe(true);
  });

  it("send at most 256 reports in one call", async () => {
    const { updates, calls } = updating();
    await Promise.all(Array.from({ length: 300 }, (_, i) => updates.report(report(String(i)))));
    expect(calls.map(({ length }) => length)).toEqual([256, 44]);
  });
});
