import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { openStoredSource } from "../../../src/cli/archive/open-source.js";
import { openFolder } from "../../../src/cli/view/open-folder.js";
import { StoredSource } from "../../../src/cli/view/stored-source.js";
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

  test("is shown by the viewer without a copy: a list with rewards, messages and tokens, as the folder shows them", async () => {
    const directory = temporaryFolder();
    const server = new ArchivedServer(directory, address, env);
    await server.start();
    const ids = [(await server.record("one")).id, (await server.record("two")).id, (await server.record("three")).id];
    await server.archived();
    await server.stop();
    const seen = store.requests.length;
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    await using source = await openStoredSource(address, undefined);
    await using folder = await StoredSource.open(openFolder(directory), undefined);
    const { episodes, notices } = await source.overview();
    expect(episodes).toMatchObject({ session_id: ids, reward: [0.5, 0.5, 0.5], turns: [2, 2, 2] });
    expect(notices).toEqual([expect.stringContaining("Start with --model")]);
    expect((await folder.overview()).episodes).toMatchObject({ session_id: ids });
    const tokens = { episode: 1, interaction: 1, from: 0, count: 100 };
    expect(await source.episode(1)).toEqual(await folder.episode(1));
    expect(await source.tokens(tokens)).toEqual(await folder.tokens(tokens));
    expect(JSON.stringify(await source.episode(1))).toContain("Hello two");
    const { signal } = new AbortController();
    expect(await source.search("hello THREE", signal)).toEqual({ episodes: [2], complete: true });
    await expect(source.image({ episode: 0, sha256: "0".repeat(64) })).rejects.toMatchObject({ code: "not_found" });
    expect(store.requests.slice(seen).every(({ method }) => method === "GET")).toBe(true);

    // One that is damaged is listed with the others, and one that is gone is named when it is opened.
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix: prefix }));
    const keys = ids.map((id) => Contents.find(({ Key }) => Key?.endsWith(`-${id}.sessions`))?.Key);
    await using later = await openStoredSource(`${address}/sessions`, undefined);
    await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: keys[0], Body: Buffer.from("something else") }));
    await client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: keys[2] }));
    expect((await later.overview()).episodes).toMatchObject({ session_id: ids.slice(0, 2), accepted: [false, true] });
    await client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: keys[1] }));
    await expect(later.episode(0)).rejects.toMatchObject({ code: "session_damaged" });
    await expect(later.episode(1)).rejects.toMatchObject({ code: "session_not_found" });
  });

  test("is written to one HTML file by `rolltape view`", async () => {
    const directory = temporaryFolder();
    const server = new ArchivedServer(directory, address, env);
    await server.start();
    await server.record("one");
    await server.archived();
    await server.stop();
    const html = join(temporaryFolder(), "page.html");
    for (const target of [address, directory]) {
      const viewed = await runRolltape(["view", target, "--html", html], env);
      expect(viewed).toMatchObject({ code: 0, stderr: "" });
      expect(viewed.stdout).toMatch(/: 1 episode, 1 with messages, 1 with tokens/);
    }
    const none = await runRolltape(["view", `${address}/none`, "--html", html], env);
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("no transcript and no session") });
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
