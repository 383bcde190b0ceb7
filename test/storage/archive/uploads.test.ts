import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as immediate } from "node:timers/promises";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Outbox, type OutboxOptions } from "../../../src/storage/archive/outbox.js";
import { createDeferred } from "../../../src/support/async/deferred.js";
import { MemoryBucket, sdkError } from "./memory-bucket.js";

let bucket: MemoryBucket;

beforeEach(() => {
  bucket = MemoryBucket.start();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-uploads-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function open(directory: string, more: Partial<OutboxOptions> = {}): Promise<Outbox> {
  const backoff = { firstMilliseconds: 1, longestMilliseconds: 2 };
  const outbox = await Outbox.open({ directory, address: "s3://bucket/prefix", maxBytes: 10, backoff, ...more });
  onTestFinished(() => outbox.close());
  return outbox;
}

async function* bytesOf(...chunks: readonly string[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

const whenEmpty = (outbox: Outbox) => outbox.whenEmpty(new AbortController().signal);
const stored = () => Object.fromEntries([...bucket.objects].map(([key, { body }]) => [key, body.toString()]));

describe("an outbox", () => {
  it("uploads files under names of its own, and removes them", async () => {
    const directory = newFolder();
    const outbox = await open(directory);
    expect(outbox.id).toMatch(/^[0-9a-f]{16}$/);
    await outbox.write("sessions", "a/b%2F", bytesOf("one", "two"));
    await outbox.write("batches", "c", bytesOf("three"));
    await whenEmpty(outbox);
    expect(stored()).toEqual({
      [`prefix/sessions/${outbox.id}/a/b%2F`]: "onetwo",
      [`prefix/batches/${outbox.id}/c`]: "three",
    });
    expect(outbox.counts).toEqual({
      uploaded: { sessions: 1, batches: 1 },
      uploadedBytes: 11,
      reusedBytes: 0,
      failures: 0,
      waiting: 0,
      waitingBytes: 0,
    });
    expect(new Set(readdirSync(directory, { recursive: true, encoding: "utf8" }))).toEqual(
      new Set(["batches", "id", "sessions"]),
    );
  });

  it("drops a file that is no longer wanted when it is complete", async () => {
    const directory = newFolder();
    const outbox = await open(directory);
    expect(await outbox.write("sessions", "a", bytesOf("text"), () => false)).toBe(false);
    await whenEmpty(outbox);
    expect([outbox.counts.waiting, bucket.sent, readdirSync(join(directory, "sessions"))]).toEqual([0, [], []]);
  });

  it("uploads a file of another folder, which stays there, and does not upload it twice", async () => {
    const directory = newFolder();
    const file = join(directory, "batch");
    writeFileSync(file, "tensors");
    const outbox = await open(directory);
    for (const uploaded of [1, 1]) {
      await outbox.link("batches", "b", file);
      await whenEmpty(outbox);
      expect(outbox.counts).toMatchObject({ uploaded: { batches: uploaded }, uploadedBytes: 7 });
    }
    expect(stored()).toEqual({ [`prefix/batches/${outbox.id}/b`]: "tensors" });
    expect(statSync(file).size).toBe(7);
    expect(readdirSync(join(directory, "batches"))).toEqual([]);
  });

  it("uploads a file again that was replaced during its upload", async () => {
    const outbox = await open(newFolder());
    const { promise, resolve } = createDeferred<void>();
    bucket.held = promise;
    await outbox.write("sessions", "a", bytesOf("old"));
    await expect.poll(() => bucket.sent).toEqual(["PutObject"]);
    await outbox.write("sessions", "a", bytesOf("newer"));
    expect(outbox.counts).toMatchObject({ waiting: 1, waitingBytes: 5 });
    resolve();
    await whenEmpty(outbox);
    expect(stored()).toEqual({ [`prefix/sessions/${outbox.id}/a`]: "newer" });
    expect(outbox.counts).toMatchObject({ uploaded: { sessions: 2 }, uploadedBytes: 8, waiting: 0, waitingBytes: 0 });
  });

  it("does not write to a file to which an earlier attempt left a link", async () => {
    const directory = newFolder();
    const outbox = await open(directory);
    for (const name of ["one", "other"]) writeFileSync(join(directory, name), name);
    linkSync(join(directory, "one"), join(directory, "batches", "b.partial"));
    await outbox.link("batches", "b", join(directory, "other"));
    await whenEmpty(outbox);
    expect(readFileSync(join(directory, "one"), "utf8")).toBe("one");
    expect(stored()).toEqual({ [`prefix/batches/${outbox.id}/b`]: "other" });
  });

  it("goes on after a start with what waits, without files that are not complete", async () => {
    const directory = newFolder();
    const first = await open(directory);
    await first.close();
    writeFileSync(join(directory, "sessions", "a"), "text");
    writeFileSync(join(directory, "sessions", "b.partial"), "te");
    const outbox = await open(directory);
    expect(outbox.id).toBe(first.id);
    await whenEmpty(outbox);
    expect(stored()).toEqual({ [`prefix/sessions/${outbox.id}/a`]: "text" });
    expect(bucket.sent[0]).toBe("HeadObject");
    expect(readdirSync(join(directory, "sessions"))).toEqual([]);
  });

  it("gets another id if the file of the id is damaged", async () => {
    const directory = newFolder();
    writeFileSync(join(directory, "id"), "not an id");
    const outbox = await open(directory);
    expect(outbox.id).toMatch(/^[0-9a-f]{16}$/);
    expect((await open(directory)).id).toBe(outbox.id);
  });

  it("has room below its limit", async () => {
    bucket.failures.set("PutObject", sdkError("SlowDown", 503));
    const outbox = await open(newFolder());
    await outbox.write("sessions", "a", bytesOf("123456789"));
    expect(await outbox.hasRoom()).toBe(true);
    await outbox.write("sessions", "b", bytesOf("1"));
    expect([await outbox.hasRoom(), outbox.counts.waitingBytes]).toEqual([false, 10]);
    await outbox.write("sessions", "a", bytesOf("1"));
    expect([await outbox.hasRoom(), outbox.counts.waitingBytes]).toEqual([true, 2]);
  });

  it("reports the first failure in a row, and the next success", async () => {
    const reports: (string | undefined)[] = [];
    bucket.failures.set("PutObject", sdkError("SlowDown", 503));
    const outbox = await open(newFolder(), { onFailure: (reason) => reports.push(reason) });
    await outbox.write("sessions", "a", bytesOf("text"));
    await expect.poll(() => outbox.counts.failures).toBeGreaterThan(1);
    expect(outbox.counts).toMatchObject({ waiting: 1, waitingBytes: 4, uploaded: { sessions: 0 } });
    bucket.failures.clear();
    await whenEmpty(outbox);
    expect(reports).toEqual(["SlowDown: the store says SlowDown (HTTP 503)", undefined]);
    expect(outbox.counts.uploaded.sessions).toBe(1);
  });

  it("uploads all that waits when the store is back, without the pause of each file", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    bucket.failures.set("PutObject", sdkError("SlowDown", 503));
    const backoff = { firstMilliseconds: 1000, longestMilliseconds: 60_000 };
    const outbox = await open(newFolder(), { backoff });
    for (const name of ["a", "b"]) await outbox.write("sessions", name, bytesOf("1"));
    while (outbox.counts.failures < 2) await immediate();
    bucket.failures.clear();
    // The pauses are 1 and 2 seconds long, at most.
    await vi.advanceTimersByTimeAsync(1000);
    // No other pause ends from now on.
    vi.useRealTimers();
    await expect.poll(() => outbox.counts).toMatchObject({ waiting: 0, uploaded: { sessions: 2 } });
  });

  it("is waited for until the caller stops", async () => {
    bucket.failures.set("PutObject", sdkError("SlowDown", 503));
    const outbox = await open(newFolder());
    await outbox.write("sessions", "a", bytesOf("text"));
    const controller = new AbortController();
    const waiting = outbox.whenEmpty(controller.signal);
    controller.abort();
    await waiting;
    expect(outbox.counts.waiting).toBe(1);
  });
});
