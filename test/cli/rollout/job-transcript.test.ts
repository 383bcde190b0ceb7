import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { JobTranscript, type TranscribedJob, transcriptFileOf } from "../../../src/cli/rollout/job-transcript.js";
import { AdminClient } from "../../../src/client/admin-client.js";
import type { HttpRequest } from "../../../src/client/connection-pool.js";
import { parseConfig } from "../../../src/config/index.js";
import type { TaskResult } from "../../../src/job/task.js";
import { Rejection } from "../../../src/rollout/rejection.js";
import { processError } from "../../../src/rollout/subproc/standard-error.js";
import { summarizeInteractions } from "../../../src/transcript/summarize.js";
import { temporaryFolder } from "../rolltape.js";

const URL_OF_PROXY = "http://127.0.0.1:1";
const SUMMARY = summarizeInteractions([], undefined);

interface Setting {
  readonly out?: string;
  readonly isResumed?: boolean;
  readonly options?: object;
  /** Fields of a session's answer. */
  readonly answer?: object;
  readonly send?: (ids: readonly string[]) => Promise<string>;
}

function createJob({ out, isResumed = false, options = {}, answer = {}, send }: Setting = {}) {
  const lines: string[] = [];
  const discarded: string[] = [];
  const calls: unknown[] = [];
  const path = out ?? join(temporaryFolder(), "b.safetensors");
  const answerAll = async (ids: readonly string[]) =>
    ids
      .map((session_id) =>
        JSON.stringify({ session_id, task_id: "t", state: "ended", ...answer, summary: SUMMARY, interactions: [] }),
      )
      .map((line) => `${line}\n`)
      .join("");
  const transport = {
    send: async (_path: string, { body }: HttpRequest) => {
      const request = JSON.parse(String(body)) as { session_ids: string[] };
      calls.push(request);
      return { status: 200, headers: {}, body: Buffer.from(await (send ?? answerAll)(request.session_ids)) };
    },
  };
  const job = {
    config: parseConfig({ rollout: { agent: { turn_discount: 0.5 } } }),
    options: { out: path, proxy: URL_OF_PROXY, ...options },
    proxy: { url: URL_OF_PROXY, admin: new AdminClient(transport, "admin") },
    store: {
      isResumed,
      discard: async (ids: readonly string[]) => {
        discarded.push(...ids);
      },
    },
    groupSize: 2,
    tasks: [1, 2, 3],
    screen: { line: (text: string) => lines.push(text) },
  } as unknown as TranscribedJob;
  const read = () =>
    readFileSync(transcriptFileOf(path), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { job, lines, discarded, calls, read, out: path };
}

async function openTranscript(job: TranscribedJob): Promise<JobTranscript> {
  const transcript = await JobTranscript.open(job);
  if (!transcript) throw new Error("the job has no transcript");
  return transcript;
}

const result = (accepted: readonly object[], rejected: readonly object[] = []): TaskResult =>
  ({ index: 4, taskId: "t", version: 7, data: null, accepted, rejected }) as unknown as TaskResult;
const acceptedIn = (sessionId: string, more: object = {}) => ({ sessionId, url: URL_OF_PROXY, ...more });

describe("the transcript of a job", () => {
  it("begins with the job, and has its batches and steps", async () => {
    const { job, read, out } = createJob();
    const transcript = await openTranscript(job);
    expect(transcript.path).toBe(`${out}.jsonl`);
    transcript.addBatch({ number: 1, file: `${out}/../more/b-1.safetensors`, version: 3, sessionIds: ["a"] });
    transcript.addStep({ number: 1, version: 3, duration: 2.5 });
    await transcript.close();
    const [run, batch, step] = read();
    expect(run).toEqual({
      type: "run",
      format: 1,
      started_at: expect.any(Number),
      tasks: 3,
      group_size: 2,
      discount: 0.5,
    });
    expect(batch).toEqual({
      type: "batch",
      number: 1,
      file: "more/b-1.safetensors",
      version: 3,
      at: expect.any(Number),
      session_ids: ["a"],
    });
    expect(step).toEqual({ type: "step", number: 1, version: 3, duration: 2.5, at: expect.any(Number) });
    for (const at of [run?.["started_at"], batch?.["at"], step?.["at"]]) {
      expect(Math.abs(Number(at) - Date.now() / 1000)).toBeLessThan(60);
    }
  });

  it("has what the proxy recorded of each episode", async () => {
    const answer = { started_at: 5, duration: 6, session_reward: 0.5 };
    const { job, read, calls, discarded, lines } = createJob({ answer });
    const transcript = await openTranscript(job);
    transcript.add(result([acceptedIn("a", { groupId: "g" }), acceptedIn("b")]));
    await transcript.settled(["a", "b", "other"]);
    const head = { type: "episode", task: 4, task_id: "t", version: 7, accepted: true, ...answer, interactions: [] };
    expect(read().slice(1)).toEqual([
      { ...head, session_id: "a", group_id: "g" },
      { ...head, session_id: "b" },
    ]);
    await transcript.close();
    expect(calls).toEqual([{ session_ids: ["a", "b"], discount: 0.5 }]);
    expect([discarded, lines]).toEqual([[], []]);
  });

  it("has why an episode was rejected, and then deletes its session", async () => {
    const { job, read, discarded } = createJob();
    const transcript = await openTranscript(job);
    const cause = Object.assign(new Error("no"), { stack: "Error: no\n at agent" });
    const long = "x".repeat((1 << 16) + 1);
    const rejected = [
      { sessionId: "a", groupId: "g", reason: new Rejection("agent_error", "no", { cause }) },
      { sessionId: "b", reason: Rejection.from("agent_error", processError("program_failed", "Status 1.", "")) },
      { reason: new Rejection("episode_timeout", long) },
      { reason: new Rejection("episode_timeout", long.slice(1)) },
    ];
    transcript.add(result([], rejected));
    await transcript.close();
    const head = { type: "episode", task: 4, task_id: "t", version: 7, accepted: false, interactions: [] };
    const lines = read().slice(1);
    expect(lines).toHaveLength(4);
    expect(lines.filter(({ session_id }) => session_id !== undefined)).toEqual([
      {
        ...head,
        session_id: "a",
        group_id: "g",
        error: { code: "agent_error", message: "no", stack: "Error: no\n at agent" },
      },
      { ...head, session_id: "b", error: { code: "agent_error", message: expect.stringMatching("Status 1") } },
    ]);
    const texts = lines.flatMap(({ session_id, error }) =>
      session_id === undefined ? [(error as { message: string }).message] : [],
    );
    expect(texts).toEqual([`${long.slice(1)}…`, long.slice(1)]);
    expect(discarded).toEqual(["a", "b"]);
  });

  it("says which sessions it could not read", async () => {
    const failed = { session_id: "a", error: { code: "session_exported", message: "It was." } };
    const { job, read } = createJob({ send: async () => `${JSON.stringify(failed)}\n` });
    const transcript = await openTranscript(job);
    transcript.add(result([acceptedIn("a")]));
    await transcript.close();
    const incomplete = "the proxy did not return the session: session_exported: It was.";
    expect(read()[1]).toMatchObject({ session_id: "a", accepted: true, interactions: [], incomplete });
  });

  it("is waited for only a while", async () => {
    let answer = (_text: string) => {};
    const { job, read } = createJob({ send: () => new Promise((resolve) => (answer = resolve)) });
    const transcript = await openTranscript(job);
    transcript.add(result([acceptedIn("a")]));
    const start = performance.now();
    await transcript.settled(["other"], 10_000);
    await transcript.settled(["a"], 50);
    expect(performance.now() - start).toBeLessThan(5000);
    expect(read()).toHaveLength(1);
    answer(`${JSON.stringify({ session_id: "a", error: { code: "gone", message: "Gone." } })}\n`);
    await transcript.settled(["a"]);
    expect(read()).toHaveLength(2);
    await transcript.close();
  });

  it("goes on in that of the process before, without what it has", async () => {
    const first = createJob();
    const before = await openTranscript(first.job);
    before.add(result([acceptedIn("a")]));
    await before.close();
    const second = createJob({ out: first.out, isResumed: true });
    const transcript = await openTranscript(second.job);
    transcript.add(result([acceptedIn("a"), acceptedIn("b")]));
    await transcript.close();
    expect(second.read().map(({ type, session_id }) => [type, session_id])).toEqual([
      ["run", undefined],
      ["episode", "a"],
      ["episode", "b"],
    ]);
    expect(second.calls).toEqual([{ session_ids: ["b"], discount: 0.5 }]);
  });

  it("is none with --no-transcripts", async () => {
    const { job, lines } = createJob({ options: { transcripts: false } });
    expect(await JobTranscript.open(job)).toBeUndefined();
    expect(lines).toEqual([]);
  });

  it("is no reason to end a job, which deletes its rejected sessions all the same", async () => {
    const out = join(temporaryFolder(), "b.safetensors");
    mkdirSync(transcriptFileOf(out));
    const { job, lines, discarded, calls } = createJob({ out });
    const transcript = await openTranscript(job);
    expect(transcript.path).toBeUndefined();
    expect(lines).toEqual([expect.stringMatching(`^rolltape: warning: no transcript is written to ${out}.jsonl: `)]);
    const reason = new Rejection("agent_error", "no");
    transcript.add(result([acceptedIn("a")], [{ sessionId: "b", reason }, { reason }]));
    transcript.addStep({ number: 1, version: 3, duration: 2.5 });
    await transcript.close();
    expect([discarded, calls, lines.length]).toEqual([["b"], [], 1]);
  });
});
