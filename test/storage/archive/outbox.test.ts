import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { type FileHandle, open as openFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { Outbox, type OutboxOptions } from "../../../src/storage/archive/outbox.js";
import { StoredFiles } from "../../../src/storage/archive/stored-file.js";
import { FaultyStore, type StoreFault } from "../../helpers/faulty-store.js";
import { s3Environment } from "../../helpers/seaweed.js";
import { mountSmallDisk } from "../../helpers/small-disk.js";

/** An outbox whose store fails. Uploads that succeed are tested with a real store: archive.slow.test.ts. */

let store: FaultyStore;

beforeEach(async () => {
  store = await FaultyStore.start();
  store.choose = () => "refuse";
  for (const [name, value] of Object.entries(s3Environment(store.port))) vi.stubEnv(name, value);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await store.close();
  });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-outbox-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function open(directory: string, more: Partial<OutboxOptions> = {}): Promise<Outbox> {
  const backoff = { firstMilliseconds: 1, longestMilliseconds: 5 };
  const outbox = await Outbox.open({ directory, address: "s3://bucket/prefix", maxBytes: 1000, backoff, ...more });
  onTestFinished(() => outbox.close());
  return outbox;
}

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

test.each<[StoreFault, RegExp]>([
  ["refuse", /503/],
  ["cut", /hang up|ECONNRESET|EPIPE/],
])("keeps files and tries again while the store fails (%s)", async (fault, reason) => {
  store.choose = () => fault;
  const directory = newFolder();
  const reasons: (string | undefined)[] = [];
  const outbox = await open(directory, { onFailure: (reason) => reasons.push(reason) });
  expect(await outbox.write("sessions", "a", bytesOf("first"))).toBe(true);
  await outbox.write("sessions", "b", bytesOf("second"));
  await expect.poll(() => outbox.counts.failures).toBeGreaterThan(4);
  expect(outbox.counts).toMatchObject({ waiting: 2, waitingBytes: 11, uploaded: { sessions: 0, batches: 0 } });
  // One line, not one for each attempt.
  expect(reasons.length).toBe(1);
  expect(reasons[0]).toMatch(reason);
  await outbox.close();
  expect(readdirSync(join(directory, "sessions"))).toEqual(["a", "b"]);
  const next = await open(directory);
  expect(next.id).toBe(outbox.id);
  expect(next.counts).toMatchObject({ waiting: 2, waitingBytes: 11 });
});

test("asks whether the store has a file before it sends it again", async () => {
  const outbox = await open(newFolder());
  await outbox.write("sessions", "a", bytesOf("first"));
  await expect.poll(() => store.requests.length).toBeGreaterThan(1);
  expect(store.requests.slice(0, 2).map(({ method }) => method)).toEqual(["PUT", "HEAD"]);
  expect(store.requests[0]?.path).toBe(`/bucket/prefix/sessions/${outbox.id}/a?x-id=PutObject`);
});

test("stops although the store never answers", async () => {
  store.choose = () => "hang";
  const directory = newFolder();
  const outbox = await open(directory);
  await outbox.write("sessions", "a", bytesOf("first"));
  await expect.poll(() => store.requests.length).toBe(1);
  await outbox.close();
  expect(readdirSync(join(directory, "sessions"))).toEqual(["a"]);
});

test("stops although the store does not say whether it has a file", async () => {
  store.choose = ({ method }) => (method === "HEAD" ? "hang" : "refuse");
  const directory = newFolder();
  const outbox = await open(directory);
  await outbox.write("sessions", "a", bytesOf("first"));
  await expect.poll(() => store.requests.some(({ method }) => method === "HEAD")).toBe(true);
  await outbox.close();
  expect(readdirSync(join(directory, "sessions"))).toEqual(["a"]);
});

test("rejects a file for which the disk has too little space, and keeps no part of it", async ({ skip }) => {
  const disk = mountSmallDisk(1);
  if (!disk) return skip("only root may mount a small file system");
  onTestFinished(() => disk.remove());
  const outbox = await open(disk.folder);
  const text = "x".repeat(2 << 20);
  await expect(outbox.write("sessions", "a", bytesOf(text))).rejects.toThrow(/ENOSPC/);
  expect(outbox.counts.waiting).toBe(0);
  expect(readdirSync(join(disk.folder, "sessions"))).toEqual([]);
  await outbox.write("sessions", "b", bytesOf("short"));
  expect(outbox.counts.waiting).toBe(1);
});

test("has a file of another file system on its own disk before it waits", async ({ skip }) => {
  const disk = mountSmallDisk(1);
  if (!disk) return skip("only root may mount a small file system");
  onTestFinished(() => disk.remove());
  const file = join(disk.folder, "batch");
  writeFileSync(file, "tensors");
  const directory = newFolder();
  const outbox = await open(directory);
  await using handle = await openFile(file, "r");
  const synced: string[] = [];
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  vi.spyOn(prototype, "sync").mockImplementation(async function (this: FileHandle) {
    synced.push(readlinkSync(`/proc/self/fd/${this.fd}`));
  });
  onTestFinished(() => void vi.restoreAllMocks());
  await outbox.link("batches", "b", file);
  expect(synced).toEqual([join(directory, "batches", "b.partial"), join(directory, "batches")]);
});

test("forgets a file that another process has uploaded and removed", async () => {
  const directory = newFolder();
  const outbox = await open(directory);
  await outbox.write("sessions", "a", bytesOf("first"));
  await expect.poll(() => outbox.counts.failures).toBeGreaterThan(0);
  rmSync(join(directory, "sessions", "a"));
  await outbox.whenEmpty(AbortSignal.timeout(10_000));
  expect(outbox.counts).toMatchObject({ waiting: 0, waitingBytes: 0, uploaded: { sessions: 0 } });
});

test("keeps a file while a file with credentials of the store is missing", async () => {
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"])
    vi.stubEnv(name, undefined);
  const [directory, missing] = [newFolder(), join(newFolder(), "missing")];
  for (const name of ["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE"])
    vi.stubEnv(name, missing);
  vi.stubEnv("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/uploader");
  const reasons: (string | undefined)[] = [];
  const outbox = await open(directory, { onFailure: (reason) => reasons.push(reason) });
  await outbox.write("sessions", "a", bytesOf("first"));
  await expect.poll(() => outbox.counts.failures).toBeGreaterThan(0);
  expect(reasons[0]).toMatch(/ENOENT.*missing/);
  expect(outbox.counts.waiting).toBe(1);
  expect(readdirSync(join(directory, "sessions"))).toEqual(["a"]);
});

test("replaces a waiting file by a newer one of its name", async () => {
  const directory = newFolder();
  const outbox = await open(directory);
  await outbox.write("sessions", "a", bytesOf("first"));
  await outbox.write("sessions", "a", bytesOf("longer than before"));
  expect(outbox.counts).toMatchObject({ waiting: 1, waitingBytes: 18 });
  expect(readFileSync(join(directory, "sessions", "a"), "utf8")).toBe("longer than before");
});

test("drops a file whose source has changed meanwhile", async () => {
  const directory = newFolder();
  const outbox = await open(directory);
  expect(await outbox.write("sessions", "a", bytesOf("first"), () => false)).toBe(false);
  expect(outbox.counts.waiting).toBe(0);
  expect(readdirSync(join(directory, "sessions"))).toEqual([]);
});

test("has no room for more than its limit", async () => {
  const outbox = await open(newFolder(), { maxBytes: 5 });
  expect(await outbox.hasRoom()).toBe(true);
  await outbox.write("sessions", "a", bytesOf("first"));
  expect(await outbox.hasRoom()).toBe(false);
});

test("keeps a file of another folder that is removed there, also if it is added twice", async () => {
  const [directory, other] = [newFolder(), newFolder()];
  const file = join(other, "batch.safetensors");
  writeFileSync(file, "a batch");
  const outbox = await open(directory);
  await outbox.link("batches", "batch.safetensors", file);
  await outbox.link("batches", "batch.safetensors", file);
  rmSync(file);
  expect(readdirSync(join(directory, "batches"))).toEqual(["batch.safetensors"]);
  expect(readFileSync(join(directory, "batches", "batch.safetensors"), "utf8")).toBe("a batch");
  expect(outbox.counts.waiting).toBe(1);
});

test("names an object after the folders and odd characters of its name", async () => {
  const directory = newFolder();
  const name = "job-1/100% of: a.safetensors";
  await (await open(directory)).write("batches", name, bytesOf("a batch"));
  store.requests.length = 0;
  // Also after a restart.
  const outbox = await open(directory);
  await expect.poll(() => store.requests.length).toBeGreaterThan(0);
  const [path = ""] = (store.requests[0]?.path ?? "").split("?");
  expect(decodeURIComponent(path)).toBe(`/bucket/prefix/batches/${outbox.id}/${name}`);
});

test("removes files that a crash left incomplete", async () => {
  const directory = newFolder();
  await (await open(directory)).close();
  writeFileSync(join(directory, "sessions", "a.partial"), "fir");
  const outbox = await open(directory);
  expect(outbox.counts.waiting).toBe(0);
  expect(readdirSync(join(directory, "sessions"))).toEqual([]);
});

test("says why an object cannot be read, although the store sends no reason for it", async () => {
  const files = await StoredFiles.open("s3://bucket/x");
  await expect(files.open("s3://bucket/x")).rejects.toThrow(/cannot be read: Service Unavailable \(HTTP 503\)\.$/);
});

test("refuses an address that is not in S3", async () => {
  await expect(Outbox.open({ directory: newFolder(), address: "gs://bucket", maxBytes: 1 })).rejects.toMatchObject({
    code: "invalid_address",
  });
});
