import { setImmediate as nextRound } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Change } from "../../src/storage/changes.js";
import { GroupCommit } from "../../src/storage/group-commit.js";

const change = (name: string): Change => ({ table: "records", key: Buffer.from(name), value: Buffer.from(name) });

/** A disk whose commits end when the test says so. */
class HeldDisk {
  readonly commits: { readonly names: string[]; readonly end: (error?: Error) => void }[] = [];

  readonly commit = (changes: readonly Change[]): Promise<void> =>
    new Promise((resolve, reject) => {
      const names = changes.map(({ key }) => Buffer.from(key).toString());
      this.commits.push({ names, end: (error) => (error ? reject(error) : resolve()) });
    });

  async commitNumber(n: number): Promise<HeldDisk["commits"][number]> {
    for (;;) {
      const found = this.commits[n];
      if (found) return found;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

const open = (disk: HeldDisk, more: Partial<ConstructorParameters<typeof GroupCommit>[0]> = {}) =>
  new GroupCommit({ commit: disk.commit, delayMilliseconds: 0, retryMilliseconds: 1, ...more });

test("commits the changes of one event turn together, and later changes after that commit", async () => {
  const disk = new HeldDisk();
  const commits = open(disk);
  expect(commits.write([])).toBe(0);
  expect(commits.write([change("a")])).toBe(1);
  expect(commits.write([change("b"), change("c")])).toBe(1);
  const first = await disk.commitNumber(0);
  expect(commits.write([change("d")])).toBe(2);
  expect(commits.write([])).toBe(2);
  expect(first.names).toEqual(["a", "b", "c"]);
  expect(disk.commits).toHaveLength(1);
  first.end();
  expect((await disk.commitNumber(1)).names).toEqual(["d"]);
});

test("commits a change of the event turn in which its group was taken with the next commit", async () => {
  const disk = new HeldDisk();
  const commits = open(disk);
  commits.write([change("a")]);
  const first = await disk.commitNumber(0);
  // The next commit takes its group before the group of this event turn is complete.
  first.end();
  queueMicrotask(() => commits.write([change("c")]));
  commits.write([change("b")]);
  const second = await disk.commitNumber(1);
  expect(second.names).toEqual(["b"]);
  await Promise.resolve();
  expect(commits.pending).toBe(2);
  second.end();
  expect((await disk.commitNumber(2)).names).toEqual(["c"]);
});

test("the changes after a commit that took a group of the same event turn are one group", async () => {
  const disk = new HeldDisk();
  const commits = open(disk);
  commits.write([change("a")]);
  (await disk.commitNumber(0)).end();
  queueMicrotask(() => commits.write([change("c")]));
  commits.write([change("b")]);
  queueMicrotask(() => commits.write([change("d")]));
  expect((await disk.commitNumber(1)).names).toEqual(["b"]);
  expect(commits.pending).toBe(2);
});

test("flushed waits for the commit with the changes so far, not for later commits", async () => {
  const disk = new HeldDisk();
  const commits = open(disk);
  commits.write([change("a")]);
  const first = await disk.commitNumber(0);
  const flushed = commits.flushed();
  commits.write([change("b")]);
  first.end();
  await flushed;
  expect(commits.pending).toBe(1);
});

test("flushed waits for one group only, in any order of the waiting callers", async () => {
  const disk = new HeldDisk();
  const commits = open(disk);
  const first = commits.write([change("a")]);
  const { end } = await disk.commitNumber(0);
  const second = commits.write([change("b")]);
  const order: string[] = [];
  const all = [
    commits.flushed(second).then(() => order.push("second")),
    commits.flushed(first).then(() => order.push("first")),
  ];
  end();
  (await disk.commitNumber(1)).end();
  await Promise.all(all);
  expect(order).toEqual(["first", "second"]);
  commits.write([change("c")]);
  await commits.flushed(second);
  expect(commits.pending).toBe(1);
});

test("flushed resolves at once if no change was written", async () => {
  await expect(open(new HeldDisk()).flushed()).resolves.toBeUndefined();
});

test("repeats a failed commit before it commits later changes, and rejects the waiting calls of flushed", async () => {
  const disk = new HeldDisk();
  const failures: (string | undefined)[] = [];
  const commits = open(disk, { onFailure: (failure) => failures.push(failure?.code) });
  commits.write([change("a")]);
  const flushed = commits.flushed();
  commits.write([change("b")]);
  (await disk.commitNumber(0)).end(new Error("the disk is full"));
  await expect(flushed).rejects.toMatchObject({
    code: "storage_failed",
    message: "The server cannot write to its storage: the disk is full.",
  });
  await expect(commits.flushed()).rejects.toMatchObject({ code: "storage_failed" });
  commits.write([change("c")]);
  const second = await disk.commitNumber(1);
  expect(second.names).toEqual(["a", "b", "c"]);
  second.end();
  await commits.close();
  expect(commits.failure).toBeUndefined();
  expect(failures).toEqual(["storage_failed", undefined]);
});

test("close waits until the queued changes are committed", async () => {
  const disk = new HeldDisk();
  const commits = open(disk);
  commits.write([change("a")]);
  let closed = false;
  const closing = commits.close().then(() => (closed = true));
  const first = await disk.commitNumber(0);
  expect(closed).toBe(false);
  first.end();
  await closing;
});

test("commits a change that is written when the last commit ends without the delay of a retry", async () => {
  const disk = new HeldDisk();
  const commits = open(disk, { retryMilliseconds: 1_000_000 });
  for (let n = 0; n < 5; n++) {
    commits.write([change(String(n))]);
    void disk.commitNumber(n).then(({ end }) => end());
    await commits.flushed();
  }
  expect(commits.pending).toBe(0);
});

test("whoever waits for the disk does not wait for the interval", async () => {
  const disk = new HeldDisk();
  const commits = open(disk, { delayMilliseconds: 1_000_000 });
  for (const wait of [() => commits.flushed(), () => commits.close()]) {
    commits.write([change("a")]);
    const waiting = wait();
    (await disk.commitNumber(disk.commits.length)).end();
    await waiting;
  }
  expect(disk.commits).toHaveLength(2);
});

test("puts all changes of one event turn into one commit, also when that commit is larger than the limit", async () => {
  const disk = new HeldDisk();
  const commits = open(disk);
  const large = (name: string): Change => ({ ...change(name), value: Buffer.alloc(20 * 2 ** 20) });
  commits.write([large("choice 0")]);
  commits.write([large("choice 1")]);
  const first = await disk.commitNumber(0);
  expect(first.names).toEqual(["choice 0", "choice 1"]);
  first.end();
});

test("runs one commit at a time while it closes", async () => {
  const disk = new HeldDisk();
  const commits = open(disk);
  commits.write([change("a")]);
  const first = await disk.commitNumber(0);
  const closing = commits.close();
  first.end();
  await Promise.resolve();
  commits.write([change("b")]);
  const second = await disk.commitNumber(1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(disk.commits.map(({ names }) => names)).toEqual([["a"], ["b"]]);
  second.end();
  await closing;
});

test("commits the groups of several event turns together up to 32 MiB", async () => {
  const disk = new HeldDisk();
  const commits = open(disk);
  const half = Buffer.alloc(16 * 2 ** 20);
  commits.write([change("a")]);
  const first = await disk.commitNumber(0);
  for (const group of [
    [
      { ...change("b"), value: half },
      { ...change("c"), value: undefined },
    ],
    [{ ...change("d"), value: half }],
    [change("e")],
    [change("f")],
  ]) {
    commits.write(group);
    await Promise.resolve();
  }
  expect([commits.pending, commits.durable]).toEqual([5, 0]);
  first.end();
  const second = await disk.commitNumber(1);
  expect([commits.pending, commits.durable]).toEqual([4, 1]);
  expect(second.names).toEqual(["b", "c", "d"]);
  second.end();
  const third = await disk.commitNumber(2);
  expect(third.names).toEqual(["e", "f"]);
  third.end();
  await commits.close();
  expect([commits.pending, commits.durable]).toEqual([0, 5]);
});

test("does nothing while there is nothing to commit, and does not try again after it was closed", async () => {
  const disk = new HeldDisk();
  const commits = open(disk);
  commits.write([change("a")]);
  (await disk.commitNumber(0)).end();
  await commits.flushed();
  await nextRound();
  const started = [vi.spyOn(globalThis, "setImmediate"), vi.spyOn(globalThis, "setTimeout")];
  onTestFinished(() => void vi.restoreAllMocks());
  for (let round = 0; round < 3; round++) await nextRound();
  for (const each of started) expect(each).not.toHaveBeenCalled();
  vi.restoreAllMocks();
  commits.write([change("b")]);
  const first = await disk.commitNumber(1);
  const closing = commits.close();
  const retries = vi.spyOn(globalThis, "setTimeout");
  first.end(new Error("the disk is full"));
  (await disk.commitNumber(2)).end(new Error("the disk is full"));
  await closing;
  await nextRound();
  expect(retries).not.toHaveBeenCalled();
  expect(commits.pending).toBe(1);
});
