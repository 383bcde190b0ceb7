import { expect, it } from "vitest";
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
