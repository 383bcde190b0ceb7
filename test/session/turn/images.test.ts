import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ChatMessage, toChatMessage } from "../../../src/conversation/chat-message.js";
import { type ImagePart, type MessageContent, toContent } from "../../../src/conversation/content.js";
import type { Message } from "../../../src/conversation/message.js";
import { batchOptionsSchema } from "../../../src/session/batch/batch-options.js";
import { packTrajectories } from "../../../src/session/batch/trajectories.js";
import { Session } from "../../../src/session/session.js";
import { SessionRegistry } from "../../../src/session/session-registry.js";
import { describeSession } from "../../../src/session/session-transcript.js";
import { SessionRecords } from "../../../src/session/stored/session-records.js";
import { Storage } from "../../../src/storage/index.js";
import { runAtOnce } from "../../../src/support/async/steps.js";
import { parseTools } from "../../../src/transcript/json-pieces.js";
import { sessionTranscript } from "../../../src/transcript/schema.js";
import { beginTurn, recordTurn } from "../../helpers/record-turn.js";

const image = (digit: string): ImagePart => ({
  type: "image",
  sha256: digit.repeat(64),
  mediaType: "image/png",
  width: 640,
  height: 480,
});
const user = (content: MessageContent): Message => ({ role: "user", content });
const says = (content: string): Message => ({ role: "assistant", content });
const shows = (digit: string, text = "What is this?"): Message => user([{ type: "text", text }, image(digit)]);
const tokens = (...ids: readonly number[]) => ({ pieces: [Int32Array.from(ids)] });
const newSession = () => new Session({ id: "s", taskId: "s" });

describe("a request that repeats an answered image", () => {
  it("continues that call, also if other images were shown with the same texts", () => {
    const session = newSession();
    for (const digit of ["1", "2", "3"])
      recordTurn(session, { messages: [shows(digit)] }, { output: [says("A cat.")] }, tokens(1, 2));
    const parentOf = (digit: string) =>
      beginTurn(session, { messages: [shows(digit), says("A cat."), user("And now?")] }).parent;
    expect(["2", "1", "3"].map((digit) => parentOf(digit)?.index)).toEqual([1, 0, 2]);
    expect(parentOf("4")).toBeUndefined();
    expect(parentOf("2")?.rule).toBe("continuation");
  });

  it("has the digests of its first attempt, and other ones with another image", () => {
    const session = newSession();
    const digestsOf = (digit: string) => beginTurn(session, { messages: [shows(digit)] }).digests;
    expect(digestsOf("1")).toEqual(digestsOf("1"));
    expect(digestsOf("2")).not.toEqual(digestsOf("1"));
  });

  it("shares its image in memory with the call", () => {
    const session = newSession();
    const copy = () => structuredClone(shows("1"));
    const first = recordTurn(session, { messages: [copy()] }, { output: [says("A cat.")] }, tokens(1));
    const next = recordTurn(
      session,
      { messages: [{ ...copy(), name: "n" }, says("A cat."), user("And now?")] },
      { output: [says("A dog.")] },
      tokens(1),
    );
    expect(next.input.respelled.get(0)?.content).toBe(first.input.added[0]?.content);
  });
});

it("links a conversation to the summary that stands beside an image", () => {
  const session = newSession();
  const summary = "The parser fails, because a comma is missing in line 12 of the grammar. ".repeat(4).trim();
  const asked = [shows("1"), says("A cat."), user("Summarize.")];
  recordTurn(session, { messages: asked.slice(0, 1) }, { output: [says("A cat.")] }, tokens(1));
  recordTurn(session, { messages: asked }, { output: [says(summary)] }, tokens(2));
  const compacted = user([image("2"), { type: "text", text: `Before: ${summary}` }]);
  expect(recordTurn(session, { messages: [compacted] }, { output: [says("ok")] }, tokens(3)).compactedFrom).toBe(1);
});

/** Random conversations: each call begins with those of an earlier call and its answer, or anew, and adds a message. */
const parts = fc.array(
  fc.oneof(
    fc.constantFrom("", "a", "b ").map((text) => ({ type: "text", text }) as const),
    fc.constantFrom("1", "2").map(image),
  ),
  { minLength: 1, maxLength: 3 },
);
const calls = fc.array(
  fc.record({ from: fc.nat(), added: parts.map(toContent), answer: fc.constantFrom("x", "y", "z") }),
  { minLength: 1, maxLength: 12 },
);

interface ModelledCall {
  readonly messages: readonly Message[];
  readonly answer: Message;
}

function listCalls(random: readonly { from: number; added: MessageContent; answer: string }[]): ModelledCall[] {
  const all: ModelledCall[] = [];
  for (const { from, added, answer } of random) {
    const earlier = all[from % (all.length + 1)];
    const history = earlier ? [...earlier.messages, earlier.answer] : [];
    all.push({ messages: [...history, user(added)], answer: says(answer) });
  }
  return all;
}

/** Spells what the search for a parent compares: the role, and texts and images in their order. */
function spell({ role, content }: Message): string {
  if (typeof content === "string") return `${role} ${content.trimEnd()}`;
  const shown = content.map((part) => (part.type === "text" ? part.text : `<${part.sha256}>`)).join("");
  return `${role} ${shown.trimEnd()}`;
}

/** The newest earlier call whose messages and answer are the longest beginning of the request; -1 if there is none. */
function modelParent(request: ModelledCall, earlier: readonly ModelledCall[]): number {
  const wanted = request.messages.map(spell);
  let best = { length: 0, index: -1 };
  for (const [index, { messages, answer }] of earlier.entries()) {
    const own = [...messages, answer].map(spell);
    const isBeginning = own.length < wanted.length && own.every((message, i) => message === wanted[i]);
    if (isBeginning && own.length >= best.length) best = { length: own.length, index };
  }
  return best.index;
}

async function inFolder(run: (directory: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "rolltape-images-"));
  try {
    await run(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function withRegistry<T>(directory: string, use: (registry: SessionRegistry) => Promise<T>): Promise<T> {
  const storage = await Storage.open({ directory, durability: "call" });
  const records = new SessionRecords(storage);
  const registry = new SessionRegistry({
    adminKey: "sk-admin-0123456789",
    timeoutMilliseconds: 60_000,
    retention: { milliseconds: 60_000, bytes: 1e9 },
    records,
    digestKey: new Uint8Array(16),
  });
  registry.restore();
  try {
    return await use(registry);
  } finally {
    await records.committed();
    await storage.close();
  }
}

const JSON_EXPORT = { ...batchOptionsSchema.parse({ style: "individual" }), includeMessages: true };

/** Returns the messages, parents, transcript and export of a session. */
async function readAll(session: Session) {
  const interactions = Array.from({ length: session.interactionCount }, (_, index) => session.interaction(index));
  const exported = JSON.parse((await packTrajectories(session, JSON_EXPORT)).toString()) as {
    readonly interactions: Readonly<Record<string, { messages: ChatMessage[]; output_message_list: ChatMessage[] }>>;
  };
  return {
    messages: interactions.map((each) => session.data.log.readMessages(each)),
    inputs: interactions.map(({ input }) => ({ ...input, respelled: [...input.respelled] })),
    parents: interactions.map(({ parent }) => parent),
    transcript: parseTools(runAtOnce(describeSession(session, 1))),
    exported: interactions.map(({ id }) => exported.interactions[id]?.messages),
  };
}

it("keeps random conversations with images as they are: their parents, their exports, and all of it after a restart", async () => {
  await fc.assert(
    fc.asyncProperty(calls, async (random) => {
      const modelled = listCalls(random);
      await inFolder(async (directory) => {
        const before = await withRegistry(directory, async (registry) => {
          registry.grant(1);
          const { session } = registry.start({});
          const recorded = modelled.map(({ messages, answer }, i) =>
            recordTurn(session, { messages }, { output: [answer] }, tokens(i)),
          );
          const expected = modelled.map((call, i) => modelParent(call, modelled.slice(0, i)));
          const found = recorded.map(({ parent }, i) => (expected[i] === -1 ? -1 : parent));
          expect(found).toEqual(expected);
          session.end();
          recorded.forEach(({ index }) => session.delivery.answered(index));
          return { id: session.id, seen: await readAll(session) };
        });
        expect(before.seen.messages).toEqual(modelled.map(({ messages }) => messages));
        expect(before.seen.exported).toEqual(modelled.map(({ messages }) => messages.map(toChatMessage)));
        expect(sessionTranscript.parse(before.seen.transcript)).toEqual(before.seen.transcript);
        await withRegistry(directory, async (registry) => {
          const session = registry.get(before.id);
          await registry.wake(session);
          expect(JSON.stringify(await readAll(session))).toBe(JSON.stringify(before.seen));
          for (const { messages, answer } of modelled) {
            const request = { messages: [...messages, answer, user("next")], answer };
            expect(beginTurn(session, request).parent?.index).toBe(modelParent(request, modelled));
          }
        });
      });
    }),
    { numRuns: 15 },
  );
});
