import { describe, expect, it } from "vitest";
import { TranscriptReader } from "../../../src/cli/rollout/transcript-reader.js";
import { AdminClient } from "../../../src/client/admin-client.js";
import type { HttpRequest } from "../../../src/client/connection-pool.js";
import { summarizeInteractions } from "../../../src/transcript/summarize.js";

type Answer = (sessionIds: readonly string[]) => string;

const lineOf = (id: string): string =>
  `${JSON.stringify({ session_id: id, task_id: "t", state: "ended", summary: summarizeInteractions([], undefined), interactions: [] })}\n`;
const answerAll: Answer = (ids) => ids.map(lineOf).join("");

/** A reader of a proxy that answers in this way, and the sessions of each call. */
function createReader(answer: Answer) {
  const calls: string[][] = [];
  const send = async (_path: string, { body }: HttpRequest) => {
    const { session_ids } = JSON.parse(String(body)) as { session_ids: string[] };
    calls.push(session_ids);
    return { status: 200, headers: {}, body: Buffer.from(answer(session_ids)) };
  };
  const stopping = new AbortController();
  const options = { discount: 1, signal: stopping.signal };
  return { reader: new TranscriptReader(new AdminClient({ send }, "admin"), options), calls, stopping };
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`);
const idsOf = (answers: readonly { head: { session_id: string } }[]) => answers.map(({ head }) => head.session_id);

describe("TranscriptReader", () => {
  it("reads sessions that end shortly after each other with one call", async () => {
    const { reader, calls } = createReader(answerAll);
    const answers = await Promise.all(names(3).map((id) => reader.read(id)));
    expect(idsOf(answers)).toEqual(names(3));
    expect(calls).toEqual([names(3)]);
  });

  it("sends a call for 16 sessions at once, and the rest when it is told to", async () => {
    const { reader, calls } = createReader(answerAll);
    const reads = names(20).map((id) => reader.read(id));
    reader.flush();
    expect(idsOf(await Promise.all(reads))).toEqual(names(20));
    expect(calls.map((ids) => ids.length)).toEqual([16, 4]);
  });

  it("asks again for the sessions that an answer leaves out", async () => {
    const { reader, calls } = createReader(([first = ""]) => lineOf(first));
    const answers = await Promise.all(names(3).map((id) => reader.read(id)));
    expect(idsOf(answers)).toEqual(names(3));
    expect(calls).toEqual([names(3), names(3).slice(1), names(3).slice(2)]);
  });

  it("fails for the session that the proxy cannot return, and for no other", async () => {
    const failed = `${JSON.stringify({ session_id: "s0", error: { code: "session_exported", message: "It was." } })}\n`;
    const { reader } = createReader(() => failed + lineOf("s1"));
    const reads = names(2).map((id) => reader.read(id));
    await expect(reads[0]).rejects.toMatchObject({ code: "session_exported", message: "It was." });
    expect((await reads[1])?.head.session_id).toBe("s1");
  });

  it("reads a session once that two callers want", async () => {
    const { reader, calls } = createReader(answerAll);
    const answers = await Promise.all([reader.read("s0"), reader.read("s0")]);
    expect(idsOf(answers)).toEqual(["s0", "s0"]);
    expect(calls).toEqual([["s0"]]);
  });

  it("fails for the session whose line cannot be read, and for no other", async () => {
    const { reader } = createReader((ids) =>
      ids.map((id) => (id === "s1" ? '{"session_id":"s1"}\n' : lineOf(id))).join(""),
    );
    const reads = names(3).map((id) => reader.read(id));
    await expect(reads[1]).rejects.toThrow(/error/);
    expect(idsOf(await Promise.all([reads[0], reads[2]].flatMap((read) => read ?? [])))).toEqual(["s0", "s2"]);
  });

  it("reads each session with a call of its own if the proxy is of an earlier version", async () => {
    const paths: string[] = [];
    const send = async (path: string) => {
      paths.push(path);
      const id = /sessions\/(\w+)\//.exec(path)?.[1];
      if (id !== undefined) return { status: 200, headers: {}, body: Buffer.from(lineOf(id)) };
      const error = { message: "Route POST /rl/transcripts does not exist.", code: "not_found" };
      return { status: 404, headers: {}, body: Buffer.from(JSON.stringify({ error })) };
    };
    const options = { discount: 0.5, signal: new AbortController().signal };
    const reader = new TranscriptReader(new AdminClient({ send }, "admin"), options);
    const answers = await Promise.all(names(2).map((id) => reader.read(id)));
    expect(idsOf(answers)).toEqual(names(2));
    expect(answers.map(({ interactions }) => Buffer.from(interactions).toString())).toEqual(["[]", "[]"]);
    expect(paths).toEqual(["/rl/transcripts", ...names(2).map((id) => `/rl/sessions/${id}/transcript?discount=0.5`)]);
  });

  it("fails if the answer has none of the sessions", async () => {
    const { reader } = createReader(() => lineOf("another"));
    await expect(reader.read("s0")).rejects.toThrow("none of the sessions");
  });

  it("fails for the sessions that wait when the job ends", async () => {
    const { reader, stopping, calls } = createReader(answerAll);
    const read = reader.read("s0");
    stopping.abort(new Error("the job has ended"));
    await expect(read).rejects.toThrow("the job has ended");
    expect(calls).toEqual([]);
  });
});
