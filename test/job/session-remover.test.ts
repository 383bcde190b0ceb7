import { expect, it, onTestFinished, vi } from "vitest";
import { SessionRemover, type SessionRemoverOptions } from "../../src/job/session-remover.js";
import { createDeferred } from "../../src/support/async/deferred.js";

/** The deletion of the sessions of runs that do not count. */

function start(options: Partial<SessionRemoverOptions> = {}) {
  const removed: string[] = [];
  const note = (kind: string) => async (id: string) => void removed.push(`${kind} ${id}`);
  const remover = new SessionRemover({
    remove: note("session"),
    removeLease: note("lease"),
    onRemoved: note("removed"),
    onLeaseRemoved: note("lease removed"),
    settleMilliseconds: 0,
    ...options,
  });
  return { remover, removed };
}

it("deletes each session and each lease, and reports it", async () => {
  const { remover, removed } = start();
  remover.add(["a"]);
  remover.addLeases(["b"]);
  await remover.close(60);
  expect(removed.toSorted()).toEqual(["lease b", "lease removed b", "removed a", "session a"]);
  expect(remover.pending).toBe(0);
});

it("deletes a session once if it is named again meanwhile, and again later", async () => {
  const answer = createDeferred<void>();
  const asked: string[] = [];
  const { remover } = start({
    remove: (id) => {
      asked.push(id);
      return answer.promise;
    },
  });
  remover.add(["a", "a"]);
  remover.add(["a"]);
  await expect.poll(() => asked).toEqual(["a"]);
  expect(remover.pending).toBe(1);
  answer.resolve();
  await expect.poll(() => remover.pending).toBe(0);
  remover.add(["a"]);
  await expect.poll(() => asked).toEqual(["a", "a"]);
});

it("repeats a deletion until it is answered", async () => {
  let failures = 1;
  const { remover, removed } = start({
    remove: async () => {
      if (failures-- > 0) throw new Error("no answer");
    },
  });
  remover.add(["a"]);
  await expect.poll(() => removed).toEqual(["removed a"]);
});

it("gives up what is left when its time is over, and begins nothing more", async () => {
  const asked: string[] = [];
  const { remover, removed } = start({
    remove: async (id) => {
      asked.push(id);
      throw new Error("no answer");
    },
  });
  remover.add(["a"]);
  await expect.poll(() => asked).toEqual(["a"]);
  await remover.close(0);
  remover.add(["b"]);
  await remover.close(0);
  expect([asked, removed]).toEqual([["a"], []]);
});

it("waits for the proxy to settle before it deletes the sessions of a lease, by default two seconds", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { remover, removed } = start({ settleMilliseconds: undefined });
  remover.addLeases(["a", "a"]);
  await vi.advanceTimersByTimeAsync(1999);
  expect(removed).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(removed).toEqual(["lease a", "lease removed a"]);
  // At the end, it does not wait.
  remover.addLeases(["a"]);
  await remover.close(60);
  expect(removed).toHaveLength(4);
  expect(vi.getTimerCount()).toBe(0);
});

it("repeats a deletion after longer and longer pauses, up to half a minute", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  let asked = 0;
  const { remover } = start({ remove: () => Promise.reject(new Error(`no answer ${asked++}`)) });
  remover.add(["a"]);
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toBe(1);
  await vi.advanceTimersByTimeAsync(499);
  expect(asked).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toBe(2);
  await vi.advanceTimersByTimeAsync(1000);
  expect(asked).toBe(3);
  await vi.advanceTimersByTimeAsync(600_000);
  const before = asked;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(before + 2);
  const closed = remover.close(5);
  await vi.advanceTimersByTimeAsync(5000);
  await closed;
  expect(remover.pending).toBe(0);
});

it("deletes at most eight at once", async () => {
  const answers: (() => void)[] = [];
  const { remover, removed } = start({ remove: () => new Promise<void>((resolve) => answers.push(resolve)) });
  remover.add(Array.from({ length: 20 }, (_, i) => `s${i}`));
  await expect.poll(() => answers.length).toBe(8);
  answers[0]?.();
  await expect.poll(() => answers.length).toBe(9);
  expect(removed).toEqual(["removed s0"]);
  expect(remover.pending).toBe(19);
});

it("warns of no leak, however many deletions wait", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  const { remover } = start({ remove: () => Promise.reject(new Error("no answer")), settleMilliseconds: 60_000 });
  const ids = Array.from({ length: 50 }, (_, i) => `${i}`);
  remover.add(ids);
  remover.addLeases(ids);
  await new Promise((resolve) => setImmediate(resolve));
  await remover.close(0);
  expect(warnings).toEqual([]);
});
