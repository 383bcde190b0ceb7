import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runRolltape, temporaryFolder } from "../../cli/rolltape.js";
import { FaultyStore, type StoreFault } from "../../helpers/faulty-store.js";
import { installSeaweed, Seaweed, s3Environment } from "../../helpers/seaweed.js";
import { ArchivedServer } from "./archived-server.js";

/** Archives to a real S3 store, SeaweedFS, through a proxy that makes faults. */

const program = installSeaweed();
const MIB = 1 << 20;
const BUCKET = "rolltape-test";

const isUpload = ({ method }: { method: string }) => method === "PUT" || method === "POST";

describe.skipIf(program === undefined)("the archive in S3", { timeout: 120_000 }, () => {
  let seaweed: Seaweed;
  let data: string;
  let store: FaultyStore;
  let env: Record<string, string>;
  let client: S3Client;
  let address: string;
  let prefix: string;
  let count = 0;

  beforeAll(async () => {
    data = join("/tmp", `rolltape-seaweed-${process.pid}`);
    mkdirSync(data);
    seaweed = await Seaweed.start(program ?? "", data);
    const { AWS_ACCESS_KEY_ID: accessKeyId = "", AWS_SECRET_ACCESS_KEY: secretAccessKey = "" } = s3Environment(0);
    const credentials = { accessKeyId, secretAccessKey };
    const endpoint = `http://127.0.0.1:${seaweed.port}`;
    client = new S3Client({ endpoint, credentials, region: "us-east-1", forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  });

  afterAll(async () => {
    client.destroy();
    await seaweed.stop();
    rmSync(data, { recursive: true, force: true });
  });

  beforeEach(async () => {
    store = await FaultyStore.start(seaweed.port);
    env = s3Environment(store.port);
    prefix = `runs/${count++}`;
    address = `s3://${BUCKET}/${prefix}`;
  });

  afterEach(async () => {
    await store.close();
  });

  /** Exports to a file and returns its bytes. */
  async function exported(storage: string, ...options: string[]): Promise<Buffer> {
    const out = join(temporaryFolder(), "batch.safetensors");
    const { code, stderr } = await runRolltape(["export", "--storage", storage, "--out", out, ...options], env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return readFileSync(out);
  }

  test("has the bytes that the folder exports, also when the folder is gone", async () => {
    const directory = temporaryFolder();
    const server = new ArchivedServer(directory, address, env);
    await server.start();
    const sessions = [await server.record("one"), await server.record("two"), await server.record("three")];
    await server.archived();
    // A reward after the upload is archived too.
    const [, second] = sessions;
    const rewarded = await server.post("/rl/set_reward", { reward: 2, scope: "session" }, second?.key);
    expect(rewarded.status).toBe(200);
    await server.record("evaluated", "eval");
    await server.archived();
    await server.stop();
    const whole = await exported(directory);
    const packed = ["--style", "concat", "--layout", "packed", "--on-mismatch", "split"];
    const chosen = [
      "--sessions",
      sessions
        .map(({ id }) => id)
        .toReversed()
        .join(","),
    ];
    const others = [await exported(directory, ...packed), await exported(directory, ...chosen)];
    rmSync(directory, { recursive: true });
    expect((await exported(address)).equals(whole)).toBe(true);
    expect((await exported(address, ...packed)).equals(others[0] ?? whole)).toBe(true);
    expect((await exported(address, ...chosen)).equals(others[1] ?? whole)).toBe(true);
    expect((await exported(address, "--split", "eval")).equals(whole)).toBe(false);
  });

  test("leaves damaged sessions out of an export, and names them", async () => {
    const server = new ArchivedServer(temporaryFolder(), address, env);
    await server.start();
    await server.record("intact");
    const empty = await server.record("empty");
    const cut = await server.record("cut");
    const changed = await server.record("changed");
    const another = await server.record("another");
    await server.archived();
    await server.stop();
    const damage = async ({ id }: { id: string }, change: (bytes: Buffer) => Uint8Array) => {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix: prefix }));
      const Key = Contents.find((object) => object.Key?.endsWith(`-${id}.sessions`))?.Key;
      const { Body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
      const bytes = change(Buffer.from((await Body?.transformToByteArray()) ?? []));
      await client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: bytes }));
    };
    await damage(empty, () => new Uint8Array());
    await damage(cut, (bytes) => bytes.subarray(0, bytes.length - 1));
    await damage(changed, (bytes) => bytes.fill(0, bytes.length - 20, bytes.length - 10));
    await damage(another, () => Buffer.from("something else"));
    const out = join(temporaryFolder(), "batch.safetensors");
    const { code, stdout, stderr } = await runRolltape(["export", "--storage", address, "--out", out], env);
    expect(code).toBe(1);
    expect(stdout).toContain("exported 1 session in");
    expect(stderr).toContain("4 problems, not exported:");
    for (const { id } of [empty, cut, changed, another])
      expect(stderr).toMatch(new RegExp(`^  session ${id}: s3://.*${id}\\.sessions is `, "m"));
    const chosen = ["export", "--storage", address, "--out", out, "--sessions", cut.id];
    const refused = await runRolltape(chosen, env);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`that can be read. First problem: session ${cut.id}: `);
  });

  test.each<StoreFault>(["refuse", "hang", "cut"])(
    "answers calls and exports while uploads fail (%s)",
    async (fault) => {
      store.choose = (seen) => (isUpload(seen) ? fault : "pass");
      const directory = temporaryFolder();
      const server = new ArchivedServer(directory, address, env);
      await server.start();
      const { id } = await server.record("one");
      await expect.poll(() => store.requests.filter(isUpload).length).toBeGreaterThan(0);
      await server.record("two");
      expect((await server.post("/export_batch", { session_ids: [id] })).status).toBe(200);
      expect(await server.metric("rolltape_archived_sessions_total")).toBe(0);
      expect(await server.metric("rolltape_archive_waiting_sessions")).toBe(2);
      const failures = await server.metric("rolltape_archive_failures_total");
      expect(failures > 0).toBe(fault !== "hang");
      // A hanging request is given up after a minute, so another process goes on instead.
      await server.kill();
      store.choose = () => "pass";
      await server.start();
      await server.archived();
      const uploads = store.requests.filter((seen) => isUpload(seen) && seen.fault === "pass");
      expect(uploads.length).toBe(2);
      await server.stop();
      expect((await exported(address)).equals(await exported(directory))).toBe(true);
    },
  );

  test("continues a multipart upload after kill -9, and uploads no part twice", async () => {
    const directory = temporaryFolder();
    const waiting = join(directory, "archive", "batches");
    mkdirSync(waiting, { recursive: true });
    const bytes = randomBytes(40 * MIB);
    writeFileSync(join(waiting, "large.safetensors"), bytes);
    const parts = () => store.requests.filter(({ path }) => path.includes("partNumber="));
    store.bytesPerSecond = 8 * MIB;
    const server = new ArchivedServer(directory, address, env);
    await server.start();
    await expect.poll(() => parts().length, { timeout: 30_000 }).toBe(3);
    await server.kill();
    const before = parts().slice(0, -1);
    expect(before.map((part) => part.bytes)).toEqual([8 * MIB, 8 * MIB]);
    store.bytesPerSecond = Number.POSITIVE_INFINITY;
    const seen = parts().length;
    await server.start();
    await server.archived();
    const numbers = parts()
      .slice(seen)
      .map(({ path }) => new URL(path, "http://store").searchParams.get("partNumber"));
    expect(numbers).toEqual(["3", "4", "5"]);
    const id = readFileSync(join(directory, "archive", "id"), "utf8");
    const Key = `${prefix}/batches/${id}/large.safetensors`;
    const { Body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
    expect(digest((await Body?.transformToByteArray()) ?? bytes.subarray(1))).toBe(digest(bytes));
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: BUCKET, Prefix: prefix }));
    expect(Uploads).toEqual([]);
    expect(readdirSync(waiting)).toEqual([]);
    await server.stop();
  });

  test.each([
    ["a small file", 1000, /x-id=PutObject/],
    ["a file in parts", 20 * MIB, /^(?!.*partNumber).*uploadId=/],
  ])("does not upload %s again that the store has, after kill -9 before its answer", async (_, size, last) => {
    const directory = temporaryFolder();
    const waiting = join(directory, "archive", "batches");
    mkdirSync(waiting, { recursive: true });
    const bytes = randomBytes(size);
    writeFileSync(join(waiting, "a.safetensors"), bytes);
    const isLast = ({ path }: { path: string }) => last.test(path);
    store.choose = (seen) => (isUpload(seen) && isLast(seen) ? "mute" : "pass");
    const server = new ArchivedServer(directory, address, env);
    await server.start();
    const isDone = () => store.requests.some((seen) => seen.fault === "mute" && seen.answered);
    await expect.poll(isDone, { timeout: 30_000 }).toBe(true);
    await server.kill();
    const before = store.requests.filter(isUpload).length;
    store.choose = () => "pass";
    await server.start();
    await server.archived();
    await server.stop();
    expect(store.requests.filter(isUpload).length).toBe(before);
    expect(readdirSync(waiting)).toEqual([]);
    const id = readFileSync(join(directory, "archive", "id"), "utf8");
    const Key = `${prefix}/batches/${id}/a.safetensors`;
    const { Body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
    expect(digest((await Body?.transformToByteArray()) ?? new Uint8Array())).toBe(digest(bytes));
  });

  test("has the digest of a large file that was replaced during its upload", async () => {
    const directory = temporaryFolder();
    const waiting = join(directory, "archive", "batches");
    mkdirSync(waiting, { recursive: true });
    const bytes = randomBytes(20 * MIB);
    writeFileSync(join(waiting, "large.safetensors"), bytes);
    store.choose = ({ path }) => (path.includes("partNumber=3") ? "refuse" : "pass");
    const server = new ArchivedServer(directory, address, env);
    await server.start();
    await expect.poll(() => store.requests.some(({ fault }) => fault === "refuse"), { timeout: 30_000 }).toBe(true);
    await server.kill();
    bytes.fill(0, 19 * MIB);
    writeFileSync(join(waiting, "large.safetensors"), bytes);
    store.choose = () => "pass";
    await server.start();
    await server.archived();
    await server.stop();
    const id = readFileSync(join(directory, "archive", "id"), "utf8");
    const Key = `${prefix}/batches/${id}/large.safetensors`;
    const { Body, Metadata } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
    expect(digest((await Body?.transformToByteArray()) ?? bytes.subarray(1))).toBe(digest(bytes));
    expect(Metadata).toEqual({ "rolltape-sha256": digest(bytes) });
  });

  test("does not upload a session again that was in the archive before kill -9", async () => {
    const directory = temporaryFolder();
    const server = new ArchivedServer(directory, address, env);
    await server.start();
    await server.record("one");
    await server.archived();
    await server.kill();
    const before = store.requests.filter(isUpload).length;
    expect(before).toBe(1);
    await server.start();
    await server.record("two");
    await server.archived();
    expect(store.requests.filter(isUpload).length).toBe(before + 1);
    await server.stop();
  });

  test("uploads at a stop what has just ended", async () => {
    const directory = temporaryFolder();
    const server = new ArchivedServer(directory, address, env);
    await server.start();
    await server.record("one");
    await server.stop();
    expect((await exported(address)).equals(await exported(directory))).toBe(true);
  });
});

const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
