import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LastCommit } from "../../src/job/last-commit.js";
import { isInUse, SqliteDatabase } from "../../src/job/sqlite.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { openTestStore } from "./open-test-store.js";

/** Returns what opening a database throws. */
function refusal(directory: string): unknown {
  try {
    new SqliteDatabase({ directory });
  } catch (error) {
    return error;
  }
  throw new Error("it was opened");
}

/** Descriptors that this process has of the file with the last commit. SQLite's own are closed when they are collected as garbage. */
function commitFiles(directory: string): string[] {
  const links = readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return [];
    }
  });
  return links.filter((path) => path === join(directory, "job.commit"));
}

const LIMITS = { maxConcurrentRollouts: 99, maxStaleness: 99, consumerBatchSize: 1 };
const taskOf = (index: number) => ({ index, taskId: `task-${index}`, groupId: `task-${index}` });

/** Writes a job of three tasks, of which one is accepted, into a folder. */
async function writeJob(directory: string): Promise<void> {
  await using store = await openTestStore({}, new SqliteDatabase({ directory }));
  await store.advance({ added: [0, 1, 2].map(taskOf), limits: LIMITS });
  const [first] = await store.claim({ worker: "w", count: 1, maxHeld: 1, workers: 1 });
  if (!first) throw new Error("no task");
  const accepted = [{ session_id: "s", url: "http://127.0.0.1:9", group_id: null, interaction_count: 1, rewards: [] }];
  const result = { accepted, rejected: [] };
  await store.update([], [{ lease_id: first.leaseId, task: 0, attempt: 1, result }]);
}

describe("a database in a folder", () => {
  it("has the job in the next process", async () => {
    const directory = temporaryFolder();
    await writeJob(directory);
    await using store = await openTestStore({ resume: true }, new SqliteDatabase({ directory }));
    expect(store.isResumed).toBe(true);
    const { ended } = await store.begin(() => {});
    expect(ended.map(({ index, result }) => [index, result.accepted[0]?.session_id])).toEqual([[0, "s"]]);
    expect(await store.readCounts()).toMatchObject({ submitted: 3, accepted: 1, queued: 2 });
  });

  it.each([
    ["without --resume while it is unfinished", {}, "unfinished"],
    ["of other tasks", { resume: true, digest: "others" }, "other_job"],
  ])("refuses a job %s", async (_, options, code) => {
    const directory = temporaryFolder();
    await writeJob(directory);
    const database = new SqliteDatabase({ directory });
    await expect(openTestStore(options, database)).rejects.toMatchObject({ code, tasks: 3 });
    await database[Symbol.asyncDispose]();
  });

  it("is refused while another process has it", () => {
    const directory = temporaryFolder();
    const module = new URL("../../dist/job/sqlite.js", import.meta.url).href;
    const code =
      `const { SqliteDatabase } = await import(${JSON.stringify(module)});` +
      `new SqliteDatabase({ directory: ${JSON.stringify(directory)} });` +
      "try { new SqliteDatabase({ directory: process.argv[1] }) } catch (error) { console.log(error.message) }";
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", code, directory], {
      encoding: "utf8",
    });
    expect(stdout).toBe(`storage.directory ${directory} is in use by another process.\n`);
  });

  it("is given up with its files, also if it is refused", async () => {
    const directory = join(temporaryFolder(), "new", "folder");
    const database = new SqliteDatabase({ directory });
    const error = refusal(directory);
    expect(error).toMatchObject({
      code: "storage_unusable",
      message: `storage.directory ${directory} is in use by another process.`,
    });
    expect(isInUse(error)).toBe(true);
    await database[Symbol.asyncDispose]();
    await new SqliteDatabase({ directory })[Symbol.asyncDispose]();
    expect(commitFiles(directory)).toEqual([]);
    expect(existsSync(join(directory, "job.db-wal"))).toBe(false);
    const commit = new LastCommit(directory);
    commit.note(99);
    commit.close();
    const refused = refusal(directory);
    expect(refused).toMatchObject({ message: expect.stringContaining(" cannot be used: its last ") as string });
    expect(isInUse(refused)).toBe(false);
    rmSync(join(directory, "job.commit"));
    await new SqliteDatabase({ directory })[Symbol.asyncDispose]();
    expect(commitFiles(directory)).toEqual([]);
  });

  it("is refused in a folder that cannot be made", () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    const error = refusal(join(file, "folder"));
    expect(error).toMatchObject({
      code: "storage_unusable",
      message: expect.stringContaining(" cannot be used: ENOTDIR") as string,
    });
    expect([error, new Error("other"), "text", undefined].map(isInUse)).toEqual([false, false, false, false]);
  });

  it.each([
    ["forces its commits to the disk", undefined, 2],
    ["leaves its commits to the operating system if it is not synced", false, 1],
  ])("%s", async (_, synced, synchronous) => {
    await using database = new SqliteDatabase({ directory: temporaryFolder(), synced });
    const read = (pragma: string) => database.transaction((query) => query(`pragma ${pragma}`));
    expect(await read("synchronous")).toEqual([{ synchronous }]);
    expect(await read("journal_mode")).toEqual([{ journal_mode: "wal" }]);
  });

  it("is refused if the end of its log is missing, which SQLite itself does not notice", async () => {
    const directory = temporaryFolder();
    const kept = temporaryFolder();
    // Copied while it is open: when it is closed, SQLite moves the log into the file.
    const database = new SqliteDatabase({ directory });
    const store = await openTestStore({}, database);
    for (let index = 0; index < 5; index++) {
      await store.advance({ added: [taskOf(index)], limits: LIMITS });
      // A transaction that only reads is no commit.
      await store.readCounts();
    }
    for (const file of ["job.db", "job.db-wal", "job.commit"]) copyFileSync(join(directory, file), join(kept, file));
    await store[Symbol.asyncDispose]();
    const wal = join(kept, "job.db-wal");
    truncateSync(wal, readFileSync(wal).length - 6000);
    expect(() => new SqliteDatabase({ directory: kept })).toThrow(
      /cannot be used: its last \d+ of 6 commits are missing: the end of job.db-wal is damaged or was removed/,
    );
    rmSync(join(kept, "job.commit"));
    await new SqliteDatabase({ directory: kept })[Symbol.asyncDispose]();
  });

  it("is refused if a page is damaged, and a changed bit of a result is noticed", async () => {
    const directory = temporaryFolder();
    await writeJob(directory);
    const file = join(directory, "job.db");
    const bytes = readFileSync(file);
    const at = bytes.indexOf('"session_id":"s"');
    bytes[at + 14] = "t".charCodeAt(0);
    writeFileSync(file, bytes);
    await using store = await openTestStore({ resume: true }, new SqliteDatabase({ directory }));
    await expect(store.begin(() => {})).rejects.toThrow("the record of task 0 is damaged");
    const other = temporaryFolder();
    await writeJob(other);
    const page = readFileSync(join(other, "job.db"));
    page.fill(0xff, 4096, 4096 * 3);
    writeFileSync(join(other, "job.db"), page);
    expect(() => new SqliteDatabase({ directory: other })).toThrow(/storage.directory .* cannot be used: /);
  });

  it.each([
    ["tasks", "state = 'queued'", "tasks_by_state"],
    ["tasks", "worker = 'w'", "tasks_by_worker"],
    ["tasks", "batch = 3", "tasks_by_batch"],
    ["sessions", "task = 3", "sessions_by_task"],
    ["sessions", "state = 'unwanted'", "sessions_by_state"],
  ])("finds %s by %s without reading all of them", async (table, condition, index) => {
    const database = new SqliteDatabase();
    await openTestStore({}, database);
    const plan = `explain query plan select * from ${table} where ${condition}`;
    const steps = await database.transaction((query) => query(plan));
    expect(steps).toMatchObject([{ detail: expect.stringContaining(`USING INDEX ${index} `) as string }]);
  });

  it("changes nothing if a transaction throws", async () => {
    const database = new SqliteDatabase();
    await database.transaction((query) => query("create table t (a integer)"));
    const failing = database.transaction(async (query) => {
      await query("insert into t values (1)");
      throw new Error("not now");
    });
    await expect(failing).rejects.toThrow("not now");
    expect(await database.transaction((query) => query("select * from t"))).toEqual([]);
  });

  it("throws the error of a statement for which SQLite ended the transaction itself", async () => {
    const database = new SqliteDatabase();
    const add = () => database.transaction((query) => query("insert into t values (1)"));
    await database.transaction((query) => query("create table t (a integer primary key on conflict rollback)"));
    await add();
    await expect(add()).rejects.toThrow("UNIQUE constraint failed");
    expect(await database.transaction((query) => query("select * from t"))).toEqual([{ a: 1 }]);
  });

  it("runs transactions one after the other, each with its listener, until it is closed", async () => {
    const database = new SqliteDatabase();
    const steps: string[] = [];
    const run = (name: string) =>
      database.transaction(
        async (query) => {
          steps.push(`${name} begins`);
          await new Promise((resolve) => setImmediate(resolve));
          await query("select 1");
          if (name === "b") throw new Error("not now");
          return name;
        },
        (result) => steps.push(`${result} committed`),
      );
    const runs = [run("a"), run("b"), run("c")];
    const closed = database[Symbol.asyncDispose]();
    expect(await Promise.allSettled(runs)).toMatchObject([
      { value: "a" },
      { reason: Error("not now") },
      { value: "c" },
    ]);
    await closed;
    expect(steps).toEqual(["a begins", "a committed", "b begins", "c begins", "c committed"]);
  });
});
