import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { openStoredSource } from "../../../src/cli/archive/open-source.js";
import { cacheFolder } from "../../../src/support/cache-folder.js";
import { FaultyStore } from "../../helpers/faulty-store.js";
import { hasPostgres } from "../../helpers/postgres-server.js";
import { readSafetensors } from "../../helpers/safetensors.js";
import { installSeaweed, Seaweed, s3Environment } from "../../helpers/seaweed.js";
import { startPostgres } from "../../job/start-postgres.js";
import { rolltape, runRolltape, temporaryFolder } from "../rolltape.js";
import { frontProxy } from "./front-proxy.js";
import { AGENT, rolloutJob, TIMES } from "./rollout-job.js";

/** Batches of a job in a real S3 store, SeaweedFS, read back without the machine that made them. */

const program = installSeaweed();
const BUCKET = "rolltape-batches";

describe.skipIf(program === undefined)("the batches of a job in S3", TIMES, () => {
  let data: string;
  let seaweed: Seaweed;
  let store: FaultyStore;
  let env: Record<string, string>;
  let client: S3Client;

  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), "rolltape-seaweed-"));
    seaweed = await Seaweed.start(program ?? "", data);
    store = await FaultyStore.start(seaweed.port);
    env = s3Environment(store.port);
    const { AWS_ACCESS_KEY_ID: accessKeyId = "", AWS_SECRET_ACCESS_KEY: secretAccessKey = "" } = env;
    const endpoint = `http://127.0.0.1:${seaweed.port}`;
    const credentials = { accessKeyId, secretAccessKey };
    client = new S3Client({ endpoint, credentials, region: "us-east-1", forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  });

  afterAll(async () => {
    client.destroy();
    await store.close();
    await seaweed.stop();
    rmSync(data, { recursive: true, force: true });
  });

  /** Returns the names of the files of jobs with this prefix. */
  async function list(prefix: string) {
    const request = new ListObjectsV2Command({ Bucket: BUCKET, Prefix: `${prefix}/batches/` });
    return (await client.send(request)).Contents?.map(({ Key }) => Key?.split("/").at(-1)) ?? [];
  }

  /** Runs a job of two batches, and returns them and the addresses in the archive. */
  async function runJob(prefix: string, more: (out: string) => string[] = () => []) {
    const job = rolloutJob([0, 1, 2, 3].map((reward) => ({ question: "why?", reward })));
    const address = `s3://${BUCKET}/${prefix}`;
    const keys = [`storage.directory=${join(job.folder, "store")}`, `storage.archive=${address}`];
    const args = [...job.args, "--agent", AGENT, "rollout.consumer_batch_size=2", ...more(job.out), ...keys];
    const ended = await runRolltape(args, env);
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix: `${prefix}/` }));
    const files = Contents.map(({ Key = "" }) => Key).filter((key) => key.includes("/batches/"));
    const names = files.filter((name) => name.endsWith(".safetensors"));
    return { ...job, address, ended, names, files };
  }

  it("are there when the job has ended, and are viewed, inspected and read without a copy", async () => {
    const { folder, out, address, ended, names, files } = await runJob("runs/a");
    expect(ended).toMatchObject({ code: 0 });
    expect(names.map((name) => name.split("/").at(-1))).toEqual(["batch-00000.safetensors", "batch-00001.safetensors"]);
    const beside = files.map((name) => name.split("/").at(-1)).filter((name) => !name?.endsWith(".safetensors"));
    expect(beside).toEqual(["jsonl", "jsonl.index", "metrics.jsonl"].map((end) => `batch.safetensors.${end}`));
    const file = out.replace(".safetensors", "-00001.safetensors");
    const last = readFileSync(file);
    const { stdout: inspected } = await runRolltape(["inspect", file, "--rows", "2"], env);
    rmSync(folder, { recursive: true });
    const newest = `s3://${BUCKET}/${names[1]}`;
    const { stdout: inspectedThere } = await runRolltape(["inspect", newest, "--rows", "2"], env);
    expect(inspectedThere.replaceAll(newest, file)).toBe(inspected);
    const { tensors, metadata } = readSafetensors(last);
    const rows = JSON.parse(metadata["rows"] ?? "[]") as { session_id: string }[];
    const page = join(temporaryFolder(), "page.html");
    // Both show the transcript of the job, which is beside the batches.
    for (const target of [address, newest]) {
      const viewed = await runRolltape(["view", target, "--html", page], env);
      expect(viewed).toMatchObject({ code: 0 });
      expect(viewed.stdout).toMatch(/: 4 episodes, 4 with messages, 4 with tokens/);
    }
    const seen = store.requests.length;
    const python = installBoto();
    const script = ["python/tests/read_stored.py", newest];
    // Not execFileSync: the proxy before the store is in this process.
    const { stdout } = await promisify(execFile)(python, script, {
      env: { ...process.env, ...env, PYTHONPATH: "python/src" },
    });
    const read = JSON.parse(stdout) as { rows: number; rewards: number[]; input_ids: string };
    expect(read.rows).toBe(rows.length);
    expect(read.rewards).toEqual([...(tensors["rewards"]?.data ?? [])]);
    const ids = Int32Array.from(tensors["input_ids"]?.data ?? []);
    expect(read.input_ids).toBe(createHash("sha256").update(new Uint8Array(ids.buffer)).digest("hex"));
    const methods = store.requests.slice(seen).map(({ method }) => method);
    expect(methods.filter((method) => method === "GET").length).toBe(3);
  });

  it("are searched, and shown with their messages and tokens", async () => {
    const { folder, names } = await runJob("runs/e");
    rmSync(folder, { recursive: true });
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    await using source = await openStoredSource(`s3://${BUCKET}/${names[0]}`, undefined);
    expect((await source.overview()).metrics.map(({ step }) => step)).toEqual([0, 1]);
    const { signal } = new AbortController();
    expect(await source.search("WHY?", signal)).toEqual({ episodes: [0, 1, 2, 3], complete: true });
    expect(await source.search("never said", signal)).toEqual({ episodes: [], complete: true });
    expect(JSON.stringify(await source.episode(3))).toContain("why?");
    expect((await source.tokens({ episode: 3, interaction: 0, from: 0, count: 10 })).total).toBeGreaterThan(0);
  });

  it.each<[string, (out: string) => string[], string[]]>([
    ["the batch", () => [], ["--layout", "packed"]],
    ["the sessions file beside it", (out) => ["--sessions", `${out}.sessions`], ["--discount", "0.5"]],
  ])("are exported again from %s, without a copy", async (_, more, options) => {
    const { folder, out, names, files } = await runJob(`runs/d${options.length}${options[1]}`, more);
    const file = out.replace(".safetensors", "-00001.safetensors");
    const stored = `s3://${BUCKET}/${names[1]}`;
    const results = temporaryFolder();
    const exportFrom = async (from: string, name: string) => {
      const to = join(results, name);
      expect(await runRolltape(["export", "--from", from, "--out", to, ...options], env)).toMatchObject({ code: 0 });
      return readFileSync(to);
    };
    const sessions = files.find((name) => name.endsWith("-00001.safetensors.sessions"));
    expect(sessions === undefined).toBe(options[0] === "--layout");
    const others = sessions === undefined ? [] : [[`${file}.sessions`, `s3://${BUCKET}/${sessions}`]];
    const pairs = [[file, stored], ...others].map(async ([from = "", copy = ""], index) => ({
      copy,
      expected: await exportFrom(from, `${index}.safetensors`),
    }));
    const wanted = await Promise.all(pairs);
    rmSync(folder, { recursive: true });
    for (const { copy, expected } of wanted)
      expect((await exportFrom(copy, "there.safetensors")).equals(expected)).toBe(true);
  });

  it("are kept apart if jobs that use the same folder have batches of the same names", async () => {
    const job = rolloutJob([{ question: "why?", reward: 1 }]);
    const keys = [`storage.directory=${join(job.folder, "store")}`, `storage.archive=s3://${BUCKET}/runs/c`];
    for (let count = 0; count < 2; count++) {
      expect(await runRolltape([...job.args, "--agent", AGENT, ...keys], env)).toMatchObject({ code: 0 });
      rmSync(job.out);
    }
    const { Contents = [] } = await client.send(
      new ListObjectsV2Command({ Bucket: BUCKET, Prefix: "runs/c/batches/" }),
    );
    expect(Contents.filter(({ Key }) => Key?.endsWith(".safetensors")).length).toBe(2);
  });

  it.skipIf(!hasPostgres)(
    "are not there if the job lost its database before it counted them, and once after it",
    async () => {
      const { url } = await startPostgres();
      const database = new pg.Client(url);
      await database.connect();
      onTestFinished(() => database.end());
      const job = rolloutJob([{ question: "why?", reward: 1, until: "gate" }]);
      const gate = join(job.folder, "gate");
      writeFileSync(job.data, JSON.stringify({ question: "why?", reward: 1, until: gate }));
      const keys = [`storage.directory=${join(job.folder, "store")}`, `storage.archive=s3://${BUCKET}/runs/f`];
      const command = [...job.args, "--agent", AGENT, "--job-database", `${url}?schema=f`, "--resume", ...keys];
      const first = rolltape(command, env);
      await first.loggedMatch(/an agent waits/);
      await database.query(
        "create function f.cut() returns trigger language plpgsql as 'begin perform pg_terminate_backend(pg_backend_pid()); return new; end'",
      );
      await database.query("create trigger cut before insert on f.batches for each row execute function f.cut()");
      writeFileSync(gate, "");
      expect((await first.ended).code).toBe(1);
      expect(existsSync(job.out)).toBe(true);
      expect(await list("runs/f")).not.toContain("batch.safetensors");
      await database.query("drop trigger cut on f.batches");
      expect(await runRolltape(command, env)).toMatchObject({ code: 0 });
      expect((await list("runs/f")).filter((name) => name === "batch.safetensors")).toEqual(["batch.safetensors"]);
    },
  );

  it("do not delay the job while the store refuses them, and are uploaded by the next job on the folder", async () => {
    store.choose = ({ method }) => (method === "PUT" || method === "HEAD" ? "refuse" : "pass");
    const job = rolloutJob([{ question: "why?", reward: 1 }]);
    const address = `s3://${BUCKET}/runs/b`;
    const keys = [`storage.directory=${join(job.folder, "store")}`, `storage.archive=${address}`];
    const first = rolltape([...job.args, "--agent", AGENT, ...keys], env);
    await first.logged("refuses uploads; the job goes on and tries them again");
    await expect.poll(() => existsSync(job.out), { timeout: 60_000 }).toBe(true);
    first.process.kill("SIGKILL");
    await first.ended;
    rmSync(job.out);
    store.choose = () => "pass";
    const again = [...job.args, "--agent", AGENT, ...keys, "--resume"];
    await runRolltape(again, env);
    const { Contents = [] } = await client.send(
      new ListObjectsV2Command({ Bucket: BUCKET, Prefix: "runs/b/batches/" }),
    );
    expect(Contents.filter(({ Key }) => Key?.endsWith(".safetensors")).length).toBe(1);
  });

  it("are archived with their sessions files when the job goes on, if there was no room for them", async () => {
    store.choose = ({ method }) => (method === "PUT" || method === "HEAD" ? "refuse" : "pass");
    const job = rolloutJob([{ question: "why?", reward: 1 }]);
    const sessions = join(job.folder, "kept", "x.sessions");
    const keys = [`storage.directory=${join(job.folder, "store")}`, `storage.archive=s3://${BUCKET}/runs/g`];
    const args = [...job.args, "--agent", AGENT, "--sessions", sessions, ...keys];
    const first = rolltape([...args, "storage.archive_backlog_bytes=1"], env);
    await first.logged(`${sessions} is not archived: too much waits for its upload`);
    first.process.kill("SIGKILL");
    await first.ended;
    store.choose = () => "pass";
    // It has nothing left to do, and writes no batch.
    await runRolltape([...args, "--resume"], env);
    expect(await list("runs/g")).toEqual(expect.arrayContaining(["batch.safetensors", "x.sessions"]));
  });

  it("are archived without a sessions file that was not written for them", async () => {
    const admin = { ROLLTAPE_ADMIN_API_KEY: "sk-admin-of-a-running-proxy" };
    const { url } = await rolltape(["serve", "server.port=0", "server.shutdown_seconds=0"], admin).ready();
    const front = await frontProxy(url, ({ path }, response) => {
      if (path === "/export_sessions") response.writeHead(400).end();
      return path === "/export_sessions";
    });
    const job = rolloutJob([{ question: "why?", reward: 1 }]);
    const sessions = `${job.out}.sessions`;
    mkdirSync(dirname(sessions));
    writeFileSync(sessions, "those of an earlier batch");
    const keys = [`storage.directory=${join(job.folder, "store")}`, `storage.archive=s3://${BUCKET}/runs/h`];
    const args = [...job.args, "--agent", AGENT, "--sessions", sessions, "--proxy", front.url, ...keys];
    const ended = await runRolltape(args, { ...env, ...admin });
    expect(ended.stderr).toContain(`the sessions file ${sessions} was not written`);
    const names = await list("runs/h");
    expect(names).toContain("batch.safetensors");
    expect(names).not.toContain("batch.safetensors.sessions");
  });
});

/** Returns a Python with boto3, which the first call installs. */
function installBoto(): string {
  const folder = join(cacheFolder(), "boto3-1");
  const python = join(folder, "bin", "python");
  if (existsSync(join(folder, "complete"))) return python;
  mkdirSync(folder, { recursive: true });
  execFileSync("python3", ["-m", "venv", folder]);
  const packages = ["boto3==1.*", "numpy", "httpx"];
  execFileSync(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...packages]);
  writeFileSync(join(folder, "complete"), "");
  return python;
}
