import { describe, expect, it } from "vitest";
import type { Message, Tool } from "../../../src/conversation/message.js";
import type { BatchOrigin } from "../../../src/session/batch/batch-metadata.js";
import { Session, type SessionOptions } from "../../../src/session/session.js";
import { summarizeSession } from "../../../src/session/session-transcript.js";
import { type Frame, type FrameKind, isSessionsFile, readFrames } from "../../../src/session/stored/file/frames.js";
import { readFirstHead, readSessionFrames, readSessions } from "../../../src/session/stored/file/read-sessions.js";
import { type WriteOptions, writeFrames, writeSessions } from "../../../src/session/stored/file/write-sessions.js";
import { decodeInteraction } from "../../../src/session/stored/interaction-record.js";
import { runAtOnce } from "../../../src/support/async/steps.js";
import { recordTurn } from "../../helpers/record-turn.js";
import { readSessionsFile } from "../../helpers/sessions-file.js";

/** Sessions files of sessions in this process: no server records or reads them. */

const ORIGIN: BatchOrigin = { model: "m", modelDigest: "digest", config: { port: 1 } };
const TOOLS: readonly Tool[] = [{ type: "function", function: { name: "look" } }];
const ask: Message = { role: "user", content: "question" };
const answer: Message = { role: "assistant", content: "answer" };

/** A session with two calls, of which the second continues the first. */
function recordSession(options: Partial<SessionOptions> = {}): Session {
  const session = new Session({ id: "s", taskId: "task", ...options });
  const templateArgs = { enable_thinking: false };
  const prompt = (...ids: number[]) => ({ pieces: [Int32Array.from(ids)] });
  recordTurn(session, { messages: [ask], tools: TOOLS, templateArgs }, { output: [answer], id: "a" }, prompt(1));
  const messages = [ask, answer, ask];
  recordTurn(session, { messages, tools: TOOLS, templateArgs }, { output: [answer], id: "b" }, prompt(1, 2));
  session.setReward(2, "b");
  session.delivery.closedEarly(0);
  session.end();
  return session;
}

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

async function* each<T>(values: Iterable<T>): AsyncGenerator<T> {
  yield* values;
}

const write = async (sessions: readonly Session[], origin?: BatchOrigin, options?: WriteOptions): Promise<Buffer> =>
  Buffer.concat(await collect(writeSessions(sessions, origin, options)));

const framesOf = (file: Buffer) => collect(readFrames(each([file]), "x.sessions"));
const kindsOf = async (file: Buffer) => (await framesOf(file)).map(({ kind }) => kind);

describe("a sessions file", () => {
  it("has each server and each list of tools once, before the first session that has it", async () => {
    const file = await write([recordSession(), recordSession({ id: "t" })], ORIGIN);
    const session: FrameKind[] = ["session", "interaction", "interaction", "outcomes"];
    expect(await kindsOf(file)).toEqual(["origin", "tools", ...session, ...session]);
    expect([isSessionsFile(file), isSessionsFile(file.subarray(0, 5))]).toEqual([true, false]);
    // Joined files too.
    const joined = [...(await framesOf(file)), ...(await framesOf(file))];
    const again = Buffer.concat(await collect(writeFrames(each(joined))));
    expect(await kindsOf(again)).toEqual(["origin", "tools", ...session, ...session, ...session, ...session]);
  });

  it("is read as it was written", async () => {
    const session = recordSession({ groupId: "g" });
    const [read] = await readSessionsFile(await write([session], ORIGIN));
    const copy = read?.session;
    expect(read?.origin).toEqual(ORIGIN);
    expect(copy?.summarize()).toEqual({ ...session.summarize(), leftOut: [] });
    for (const index of [0, 1]) {
      const [found, expected] = [copy?.interaction(index), session.interaction(index)];
      expect(found).toMatchObject({ id: expected.id, parent: expected.parent, templateArgs: expected.templateArgs });
      expect(found && copy?.data.log.readMessages(found)).toEqual(session.data.log.readMessages(expected));
      expect(found && copy?.data.readTools(found)).toBe(JSON.stringify(TOOLS));
      expect(copy?.data.readOutcome(index)).toEqual(session.data.readOutcome(index));
    }
    const [withoutOrigin] = await readSessionsFile(await write([session]));
    expect(withoutOrigin?.origin).toBeUndefined();
  });

  it("has no texts if it is written for a batch, and then always the same bytes", async () => {
    const session = recordSession();
    const before = await write([session], ORIGIN, { forBatch: true });
    expect(await kindsOf(before)).toEqual(["origin", "session", "interaction", "interaction", "outcomes"]);
    expect([before.includes("question"), before.includes("enable_thinking")]).toEqual([false, false]);
    const [, , , interaction] = await framesOf(before);
    const { facts } = decodeInteraction(interaction?.payload ?? Buffer.alloc(0));
    expect(Object.keys(facts)).toEqual(expect.arrayContaining(["id", "api", "finishReason"]));
    for (const name of ["index", "parent", "tokenExact", "images", "templateArgs", "input", "output"]) {
      expect(facts).not.toHaveProperty(name);
    }
    session.lifecycle.beginExport();
    session.endExport("held");
    expect((await write([session], ORIGIN, { forBatch: true })).equals(before)).toBe(true);
    const [read] = await readSessionsFile(before);
    expect([read?.session.interaction(1).id, read?.session.state]).toEqual(["b", "ended"]);
    expect(read?.session.tokens.prompt([], 1).tokens()).toEqual(Int32Array.of(1, 2));
  });

  it.each([
    [{}, "exported", true],
    [{ asEnded: true }, "ended", false],
    [{ forBatch: true, asEnded: false }, "exported", true],
  ])("written with %j has an exported session as %s", async (options, state, held) => {
    const session = recordSession();
    session.lifecycle.beginExport();
    session.endExport("held");
    const [read] = await readSessionsFile(await write([session], undefined, options));
    expect([read?.session.state, read?.session.lifecycle.held]).toEqual([state, held]);
  });

  it("is read up to its first session for a list, which shows the counts of its interactions", async () => {
    const session = recordSession();
    const file = await write([session, recordSession({ id: "t" })], ORIGIN);
    const head = await readFirstHead(each([file]), "x.sessions");
    expect([head.session.id, head.origin, head.session.isLoaded]).toEqual(["s", ORIGIN, false]);
    expect(head.interactions).toEqual(runAtOnce(summarizeSession(session)));
    const bare = await readFirstHead(each([await write([session], undefined, { forBatch: true })]), "x.sessions");
    expect([bare.origin, bare.interactions]).toEqual([undefined, undefined]);
    await expect(readFirstHead(each([await write([])]), "x.sessions")).rejects.toThrow("it has no session");
  });

  it("is read for chosen sessions only, whose tools an earlier one may have", async () => {
    const file = await write([recordSession(), recordSession({ id: "t" })], ORIGIN);
    const chosen = await collect(readSessions(each([file]), "x.sessions", (id) => id === "t"));
    expect(chosen.map(({ session, origin }) => [session.id, origin])).toEqual([["t", ORIGIN]]);
    const [session] = chosen.map((found) => found.session);
    expect(session?.data.readTools(session.interaction(0))).toBe(JSON.stringify(TOOLS));
  });

  it("is written in chunks, of which a large frame is one by itself", async () => {
    const large: Frame = { kind: "channels", payload: Buffer.alloc(1 << 18) };
    const small: Frame = { kind: "channels", payload: Buffer.alloc(1 << 17) };
    const lengths = async (...frames: Frame[]) =>
      (await collect(writeFrames(each(frames)))).map(({ length }) => length).slice(0, -1);
    expect(await lengths(large, large)).toEqual([17, 1 << 18, 9, 1 << 18]);
    expect(await lengths(small)).toEqual([]);
    expect(await lengths(small, small, small)).toEqual([8 + 2 * (9 + (1 << 17))]);
  });
});

describe("a file that is no whole sessions file", () => {
  /** Returns a file with those frames of a session that `isKept` chooses. */
  async function without(isKept: (frame: Frame, index: number) => boolean): Promise<Buffer> {
    const frames = (await framesOf(await write([recordSession()], ORIGIN))).filter(isKept);
    return Buffer.concat(await collect(writeFrames(each(frames))));
  }

  it.each<[string, (frame: Frame, index: number) => boolean, string]>([
    ["a summary", ({ kind }) => kind !== "session", "a session has no summary"],
    ["the end of a session", ({ kind }) => kind !== "outcomes", "its last session is incomplete"],
  ])("is refused without %s", async (_, isKept, reason) => {
    await expect(readSessionsFile(await without(isKept))).rejects.toThrow(`x.sessions is damaged: ${reason}.`);
  });

  it("is refused without an interaction, with the counts of its session", async () => {
    const file = await without((_, index) => index !== 4);
    await expect(readSessionsFile(file)).rejects.toThrow("Session s is damaged: interactions: 1 instead of 2.");
  });

  it.each([
    ["summary", "session", "{}"],
    ["server", "origin", '{"key":1}'],
    ["list of tools", "tools", "{}"],
    ["interaction", "interaction", "x"],
    ["list of outcomes", "outcomes", "x"],
    ["list of images", "images", "x"],
  ] as const)("is refused with another %s", async (_, kind, text) => {
    const frames = (await framesOf(await write([recordSession()], ORIGIN))).filter((frame) => frame.kind !== kind);
    const changed: Frame = { kind, payload: Buffer.from(text) };
    const place = kind === "outcomes" ? frames.length : kind === "origin" || kind === "tools" ? 0 : 3;
    const file = Buffer.concat(await collect(writeFrames(each(frames.toSpliced(place, 0, changed)))));
    await expect(readSessionsFile(file)).rejects.toMatchObject({ code: "damaged" });
  });

  it("has no sessions if it is empty", async () => {
    const file = await write([]);
    expect(await collect(readSessionFrames(each([file]), "x.sessions"))).toEqual([]);
    await expect(collect(readSessionFrames(each([]), "x.sessions"))).rejects.toMatchObject({ code: "not_sessions" });
    await expect(collect(readSessionFrames(each([file.subarray(0, 12)]), "x.sessions"))).rejects.toThrow(
      "x.sessions is damaged: its end is missing.",
    );
  });

  it("closes its source, also if it is refused", async () => {
    let isClosed = false;
    async function* source(): AsyncGenerator<Buffer> {
      try {
        yield Buffer.from("something else");
        yield Buffer.from("more");
      } finally {
        isClosed = true;
      }
    }
    await expect(collect(readFrames(source(), "x.sessions"))).rejects.toMatchObject({ code: "not_sessions" });
    expect(isClosed).toBe(true);
  });
});
