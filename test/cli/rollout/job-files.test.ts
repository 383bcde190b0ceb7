import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { RolloutErrorLog } from "../../../src/cli/rollout/error-log.js";
import {
  JobMetrics,
  type MeasuredBatch,
  type MeasuredJob,
  tensorBoardFolderOf,
} from "../../../src/cli/rollout/metrics/job-metrics.js";
import { chooseNodeArguments } from "../../../src/cli/rollout/open-workers.js";
import { ProxyCounts } from "../../../src/cli/rollout/proxy-counts.js";
import { SessionsFiles } from "../../../src/cli/rollout/sessions-files.js";
import { describeStorage, type InspectedStorage } from "../../../src/cli/storage/inspect-storage.js";
import type { TaskResult } from "../../../src/job/task.js";
import { Rejection } from "../../../src/rollout/rejection.js";
import { processError } from "../../../src/rollout/subproc/standard-error.js";
import { TrajectoryStore } from "../../../src/session/trajectory-store.js";
import { startRecordingServer } from "../../helpers/recording-server.js";
import { turn, user } from "../../helpers/turn.js";
import { temporaryFolder } from "../rolltape.js";

/** Files that a job writes beside its batches, and what it counts. */

describe("the error log of a job", () => {
  const open = () => {
    const out = join(temporaryFolder(), "b.safetensors");
    return { out, path: `${out}.errors.jsonl`, log: new RolloutErrorLog(out) };
  };
  const rejected = (...episodes: readonly object[]) =>
    ({ index: 3, taskId: "t", version: 0, data: null, accepted: [], rejected: episodes }) as unknown as TaskResult;
  const read = (path: string) =>
    readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it("has a line for each rejected episode", () => {
    const { log, path } = open();
    const cause = Object.assign(new TypeError("no", { cause: new Error("inside") }), {
      code: "E_NO",
      stack: "TypeError: no\n at x",
    });
    log.add(rejected({ sessionId: "s", groupId: "g", reason: new Rejection("agent_error", "no", { cause }) }));
    log.add(
      rejected(
        { reason: new Rejection("episode_timeout", "late") },
        {
          sessionId: "u",
          reason: Rejection.from("agent_error", processError("program_failed", "It ended with status 1.", "KeyError")),
        },
      ),
    );
    expect(log.place).toBe(path);
    expect(read(path)).toEqual([
      {
        task: 3,
        task_id: "t",
        session_id: "s",
        group_id: "g",
        code: "agent_error",
        message: "no",
        error: { class: "TypeError", code: "E_NO", stack: "TypeError: no\n at x", cause: "Error: inside" },
        standard_error: null,
      },
      {
        task: 3,
        task_id: "t",
        session_id: null,
        group_id: null,
        code: "episode_timeout",
        message: "late",
        error: null,
        standard_error: null,
      },
      {
        task: 3,
        task_id: "t",
        session_id: "u",
        group_id: null,
        code: "agent_error",
        message: "It ended with status 1.",
        error: { class: "SubprocError", code: "program_failed", stack: null, cause: null },
        standard_error: "KeyError",
      },
    ]);
    log.close();
    log.add(rejected({ reason: new Rejection("episode_timeout", "late") }));
    expect(read(path)).toHaveLength(3);
  });

  it("is absent without rejected episodes, and that of an earlier job is removed", () => {
    const { out, path, log } = open();
    log.add(rejected());
    expect([log.place, existsSync(path)]).toEqual([undefined, false]);
    log.close();
    writeFileSync(path, "old");
    expect([new RolloutErrorLog(out).place, existsSync(path)]).toEqual([undefined, false]);
  });

  it("ends if it cannot be written, and says why", () => {
    const log = new RolloutErrorLog("/no/such/folder/b");
    for (const _ of ["once", "again"]) log.add(rejected({ reason: new Rejection("episode_timeout", "late") }));
    expect(log.place).toMatch(/^\/no\/such\/folder\/b\.errors\.jsonl is not complete: ENOENT/);
    log.close();
  });
});

describe("the counts of a proxy", () => {
  it("are those since the start, of all workers, also of those that have died", async () => {
    let text = "";
    let status = 200;
    const server = await startRecordingServer({}, async (_, response) => void response.writeHead(status).end(text));
    onTestFinished(() => server.close());
    const report = (tokens: Record<string, number>, sessions = 0) => {
      const lines = Object.entries(tokens).map(
        ([worker, count]) => `rolltape_tokens_total{worker="${worker}",direction="completion"} ${count}`,
      );
      text = [
        ...lines,
        'rolltape_tokens_total{direction="prompt"} 999',
        `rolltape_session_duration_seconds_count{state="ended"} ${sessions}`,
      ].join("\n");
    };
    report({ a: 10, b: 5 }, 3);
    const counts = await ProxyCounts.start(server.url);
    expect([counts.tokens, counts.sessions, server.requests[0]?.path]).toEqual([0, 0, "/metrics"]);
    report({ a: 12, c: 7 }, 8);
    await counts.refresh();
    expect([counts.tokens, counts.sessions]).toEqual([9, 5]);
    expect(counts.tokensPerSecond).toBeGreaterThan(0);
    status = 503;
    await expect(counts.refresh()).rejects.toThrow(`GET ${server.url}/metrics returned status 503`);
    expect(counts.tokens).toBe(9);
  });
});

describe("the sessions files of a job", () => {
  const batches = { addNumber: (file: string, number: number) => `${file}-${number}` };
  const admin = (receive: (ids: readonly string[]) => Readable) => ({
    receiveSessions: <T>(ids: readonly string[], _: unknown, take: (body: Readable) => Promise<T>) =>
      take(receive(ids)),
  });
  const none = admin(() => Readable.from([]));

  it("that cannot be written are counted, and leave nothing behind", async () => {
    const folder = temporaryFolder();
    const files = new SessionsFiles(
      { out: "b", sessions: join(folder, "s") },
      admin(() => Readable.from([Buffer.from("odd")])) as never,
    );
    await expect(files.write({ number: 0, file: "b" }, ["a"], batches)).rejects.toThrow(
      new RegExp(`^the sessions file ${join(folder, "s-0")} was not written: `),
    );
    expect([files.failed, files.files, files.bytes, readdirSync(folder)]).toEqual([1, [], 0, []]);
    const off = new SessionsFiles({ out: "b", sessions: false }, none as never);
    await off.write({ number: 0, file: "b" }, ["a"], batches);
    expect([off.failed, off.files]).toEqual([0, []]);
  });
});

describe("the metrics of a job", () => {
  async function start(isResumed = false, out = join(temporaryFolder(), "b.safetensors"), metrics = true) {
    using store = new TrajectoryStore();
    const session = store.createSession({ sessionId: "s" });
    session.record(turn([user("one")], [1, 2], [3]));
    session.setReward(1);
    session.end();
    using batch = await store.exportBatch(["s"]);
    writeFileSync(out, batch.bytes);
    const said: string[] = [];
    const counts = { tokens: 0, refresh: () => Promise.reject(new Error("busy")) };
    const tally = { rejected: 0 };
    const job = {
      options: { out, metrics },
      store: { isResumed },
      counts,
      tally,
      screen: { line: (text: string) => void said.push(text) },
    };
    const accepted = [{ sessionId: "s", rewards: new Map([["i", 0.5]]) }];
    const measured = (number: number): MeasuredBatch =>
      ({
        number,
        file: out,
        version: number,
        tasks: [{ version: 0, accepted }],
        sessionIds: ["s"],
      }) as unknown as MeasuredBatch;
    const lines = () =>
      readFileSync(`${out}.metrics.jsonl`, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Record<string, number>);
    return { subject: new JobMetrics(job as unknown as MeasuredJob), out, said, counts, tally, measured, lines };
  }

  it("have a line for each step, once", async () => {
    const { subject, counts, tally, measured, lines, out } = await start();
    await subject.open([]);
    await subject.measure("rollout", async () => undefined);
    await expect(subject.measure("export", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    Object.assign(counts, { tokens: 9 });
    tally.rejected = 2;
    await subject.add(measured(0), [{ loss: 0.5 }]);
    await subject.add(measured(0));
    Object.assign(counts, { tokens: 12 });
    await subject.add(measured(1));
    const [first, second] = lines();
    expect(lines()).toHaveLength(2);
    expect(first).toMatchObject({
      step: 0,
      version: 0,
      loss: 0.5,
      "reward/mean": 0.5,
      "episodes/accepted": 1,
      "episodes/rejected": 2,
      "batch/rows": 1,
      "tokens/batch": 3,
      "tokens/trained": 1,
      "tokens/sampled": 9,
      "staleness/max": 0,
    });
    expect(Object.keys(first ?? {})).toEqual(
      expect.arrayContaining(["time/rollout_seconds", "time/export_seconds", "time/step_seconds"]),
    );
    expect(first).not.toHaveProperty("time/training_seconds");
    expect(second).toMatchObject({
      step: 1,
      version: 1,
      "episodes/rejected": 0,
      "tokens/sampled": 3,
      "staleness/max": 1,
    });
    expect(second).not.toHaveProperty("time/rollout_seconds");
    const [events = ""] = readdirSync(tensorBoardFolderOf(out));
    expect(events).toMatch(/^events\.out\.tfevents\.\d+\..*\.rolltape$/);
    expect(readFileSync(join(tensorBoardFolderOf(out), events)).includes("reward/mean")).toBe(true);
  });

  it("go on with the lines of steps that are over, and without those of others", async () => {
    const { subject, measured, out } = await start();
    await subject.open([]);
    for (const number of [0, 1]) await subject.add(measured(number));
    const resumed = await start(true, out);
    resumed.tally.rejected = 1;
    await resumed.subject.open([
      { number: 0, trained: 1 },
      { number: 1, trained: 0 },
    ]);
    expect(resumed.lines().map(({ step }) => step)).toEqual([0]);
    for (const number of [0, 1]) await resumed.subject.add(resumed.measured(number));
    expect(resumed.lines().map(({ step }) => step)).toEqual([0, 1]);
    expect(readdirSync(tensorBoardFolderOf(out))).toHaveLength(1);
    const fresh = await start(false, out);
    await fresh.subject.open([]);
    expect(fresh.lines()).toEqual([]);
  });

  it("are left out if they are off, or cannot be written", async () => {
    const off = await start(false, undefined, false);
    await off.subject.open([]);
    await off.subject.add(off.measured(0));
    expect([existsSync(`${off.out}.metrics.jsonl`), off.said]).toEqual([false, []]);
    const { subject, said, measured, out } = await start();
    writeFileSync(tensorBoardFolderOf(out), "");
    await subject.open([]);
    await subject.add(measured(0));
    expect(said).toEqual([
      expect.stringMatching(/^rolltape: warning: .*\.metrics\.jsonl gets no more metrics: EEXIST/),
    ]);
  });

  it("say which metrics of a trainer cannot be used", async () => {
    const { subject, said, measured, lines } = await start();
    await subject.open([]);
    await subject.add(measured(4), [{ a: "x", b: "y", c: 1 }, 5, 6]);
    expect(said).toEqual([
      expect.stringMatching(
        /^rolltape: warning: step 4 goes on without a metric of the trainer: .* 1 more of its metrics cannot be used\.$/,
      ),
    ]);
    expect(lines()[0]).toMatchObject({ step: 4, c: 1 });
    await subject.add(measured(5), [{ a: "x" }]);
    expect(said[1]).not.toContain("more of its metrics");
  });
});

it.each([
  [1, 2, false],
  [2, 4, false],
  [2, 3, true],
  [4, 4, true],
])("%d workers on %d cores share a thread for garbage with their own: %s", (count, cores, single) => {
  const semiSpaces = ["--min-semi-space-size=64", "--max-semi-space-size=64"];
  expect(chooseNodeArguments(count, cores)).toEqual(single ? [...semiSpaces, "--single-threaded-gc"] : semiSpaces);
});

describe("the content of a storage folder", () => {
  const storage = (changes: Partial<InspectedStorage> = {}): InspectedStorage => ({
    directory: "/s",
    open: false,
    format: null,
    model: null,
    model_digest: null,
    worker_tag: null,
    capacity: null,
    weight_version: null,
    sessions: { active: 0, ended: 0, held: 0, exported: 0, expired: 0 },
    sessions_with_data: 0,
    interactions: 0,
    prompt_tokens: 1,
    completion_tokens: 2,
    stored_tokens: 3,
    held_exports: 0,
    file_bytes: 2048,
    used_bytes: 512,
    damage: [],
    ...changes,
  });

  it("is said with what is not known", () => {
    expect(describeStorage(storage()).trimEnd().split("\n")).toEqual([
      "folder        /s",
      "format        unknown",
      "model         unknown, digest unknown",
      "worker tag    unknown",
      "capacity      unknown",
      "sessions      none",
      "with data     0 sessions, 0 interactions",
      "tokens        1 prompt, 2 completion, 3 stored",
      "held exports  0",
      "segments      2.0 KiB, 512 bytes of it in use",
    ]);
  });

  it("is said with everything that there is", () => {
    const sessions = { active: 2, ended: 0, held: 1, exported: 0, expired: 3 };
    const facts = { format: 1, model: "m", model_digest: "d\u001b", worker_tag: "w", capacity: 1, weight_version: 0 };
    const text = describeStorage(
      storage({
        ...facts,
        open: true,
        sessions,
        sessions_with_data: 1,
        interactions: 1,
        held_exports: 2,
        damage: ["a", "b"],
      }),
    );
    expect(text.trimEnd().split("\n")).toEqual(
      [
        "folder          /s, open in a server",
        "format          1",
        "model           m, digest d",
        "worker tag      w",
        "capacity        1 free slot",
        "weight version  0",
        "sessions        2 active, 1 held, 3 expired",
        "with data       1 session, 1 interaction",
        "tokens          1 prompt, 2 completion, 3 stored",
        "held exports    2",
        "segments        2.0 KiB, 512 bytes of it in use",
        "damage          a",
        "damage          b",
      ].map((line) => (line.startsWith("model ") ? `${line} ` : line)),
    );
  });
});
