import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { WorkerContact } from "../../src/gateway/contact/worker-contact.js";

/** Tests when a worker is unreachable and when it is probed. The test advances the clock. */

const LIMIT = 1000;
const TICK = LIMIT / 5;

const refused = () => Promise.reject(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));
const silent = (signal: AbortSignal) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("no answer"))));
const alive = () => Promise.resolve();

function setUp(answer: (signal: AbortSignal) => Promise<unknown> = silent) {
  const worker = { answer, probes: 0, changes: [] as boolean[] };
  const contact = new WorkerContact({
    unreachableMilliseconds: LIMIT,
    probe: (signal) => {
      worker.probes++;
      return worker.answer(signal);
    },
    onChange: (isUnreachable) => void worker.changes.push(isUnreachable),
  });
  onTestFinished(() => contact.close());
  return { worker, contact };
}

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe("a worker that calls wait for", () => {
  it("is unreachable after the limit without an answer, which ends every waiting call once", async () => {
    const { worker, contact } = setUp();
    const lost = [vi.fn<() => void>(), vi.fn<() => void>(), vi.fn<() => void>()];
    lost.forEach((onLost) => contact.watch(onLost));
    await pass(LIMIT - 1);
    expect([contact.isUnreachable, ...lost.map(({ mock }) => mock.calls.length)]).toEqual([false, 0, 0, 0]);
    await pass(1);
    expect([contact.isUnreachable, ...lost.map(({ mock }) => mock.calls.length)]).toEqual([true, 1, 1, 1]);
    await pass(10 * LIMIT);
    expect([worker.changes, ...lost.map(({ mock }) => mock.calls.length)]).toEqual([[true], 1, 1, 1]);
  });

  it("is probed once a tick, however many calls wait", async () => {
    const { worker, contact } = setUp();
    for (let n = 0; n < 100; n++) contact.watch(() => undefined);
    await pass(LIMIT);
    expect(worker.probes).toBe(4);
  });

  it("stays reachable while it answers probes", async () => {
    const { worker, contact } = setUp(alive);
    const onLost = vi.fn<() => void>();
    contact.watch(onLost);
    await pass(100 * LIMIT);
    expect([worker.changes, onLost.mock.calls.length]).toEqual([[], 0]);
  });

  it("stays reachable, and is not probed, while it answers calls", async () => {
    const { worker, contact } = setUp();
    contact.watch(() => undefined);
    for (let n = 0; n < 50; n++) {
      contact.answered();
      await pass(TICK);
    }
    expect([worker.probes, worker.changes]).toEqual([0, []]);
  });

  it("is unreachable at once if its address refuses a probe", async () => {
    const { worker, contact } = setUp(refused);
    const onLost = vi.fn<() => void>();
    contact.watch(onLost);
    await pass(TICK);
    expect([worker.probes, worker.changes, onLost.mock.calls.length]).toEqual([1, [true], 1]);
  });

  it.each(["UND_ERR_SOCKET", "ECONNRESET"])(
    "stays reachable while it closes the connections of probes (%s)",
    async (code) => {
      // A server with as many connections as it allows closes further ones. A stopped process closes none.
      const { worker, contact } = setUp(() => Promise.reject(Object.assign(new Error("closed"), { code })));
      const onLost = vi.fn<() => void>();
      contact.watch(onLost);
      await pass(100 * LIMIT);
      expect([worker.changes, onLost.mock.calls.length]).toEqual([[], 0]);
    },
  );

  it("is not probed when no call waits", async () => {
    const { worker, contact } = setUp();
    const onLost = vi.fn<() => void>();
    const stopWatching = contact.watch(onLost);
    await pass(TICK);
    stopWatching();
    await pass(100 * LIMIT);
    expect([worker.probes, worker.changes, onLost.mock.calls.length]).toEqual([1, [], 0]);
  });
});

describe("a worker whose call failed", () => {
  it("is probed at once, although no call waits", async () => {
    const { worker, contact } = setUp();
    contact.suspect();
    contact.suspect();
    expect(worker.probes).toBe(1);
    await pass(LIMIT);
    expect(worker.changes).toEqual([true]);
  });

  it("is not probed again if it answers the probe", async () => {
    const { worker, contact } = setUp(alive);
    contact.suspect();
    await pass(100 * LIMIT);
    expect([worker.probes, worker.changes]).toEqual([1, []]);
  });
});

describe("an unreachable worker", () => {
  it("is probed until it answers, and is reachable then", async () => {
    const { worker, contact } = setUp();
    contact.suspect();
    await pass(LIMIT);
    const probes = worker.probes;
    await pass(10 * TICK);
    expect(worker.probes).toBe(probes + 10);
    worker.answer = alive;
    await pass(TICK);
    expect([contact.isUnreachable, worker.changes]).toEqual([false, [true, false]]);
  });

  it("is not probed after it has left", async () => {
    const { worker, contact } = setUp();
    contact.suspect();
    await pass(LIMIT);
    contact.close();
    const probes = worker.probes;
    await pass(100 * LIMIT);
    expect([worker.probes, contact.isUnreachable]).toEqual([probes, true]);
  });
});
