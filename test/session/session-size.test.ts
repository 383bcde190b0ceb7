import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../src/conversation/chat-message.js";
import type { Message } from "../../src/conversation/message.js";
import { SessionRegistry } from "../../src/session/session-registry.js";
import { LocalSession } from "../../src/session/trajectory-store.js";
import { beginTurn } from "../helpers/record-turn.js";
import { assistant, turn, user } from "../helpers/turn.js";

/** Sessions count the tokens that their calls add, and the memory that they hold until they are freed. */

function registryWith(slots: number): SessionRegistry {
  const registry = new SessionRegistry({
    adminKey: "sk-admin-0123456789abcdef",
    timeoutMilliseconds: 1000,
    retention: { milliseconds: 60_000, bytes: 1 << 30 },
  });
  registry.grant(slots);
  return registry;
}

const FIRST = turn([user("a")], [1, 2, 3], [4, 5]);
const NEXT = turn([user("a"), assistant("ok"), user("b")], [1, 2, 3, 4, 5, 6], [7]);

const message = (role: Message["role"], content: string): Message => ({ role, content });

const IMAGE = { type: "image", sha256: "0".repeat(64), media_type: "image/png", width: 640, height: 480 };

/** A session, and the same session with the recording calls of the library. */
function one() {
  const { session } = registryWith(1).start({});
  return { session, stored: new LocalSession(session) };
}

describe("the tokens of a session", () => {
  it("are the tokens that each call adds to its parent", () => {
    const { session, stored } = one();
    stored.record(FIRST);
    expect(session.data.size.tokens).toBe(5);
    stored.record(NEXT);
    expect(session.data.size.tokens).toBe(7);
    expect(session.counts.promptTokens + session.counts.completionTokens).toBe(12);
  });

  it("are all tokens of all calls if the calls share nothing", () => {
    const { session, stored } = one();
    stored.record(FIRST);
    stored.record(turn([user("z")], [1, 2, 3], [4, 5]));
    expect(session.data.size.tokens).toBe(10);
  });

  it("are known for a prompt before it is recorded", () => {
    const { session, stored } = one();
    stored.record(FIRST);
    const messages: Message[] = [message("user", "a"), message("assistant", "ok"), message("user", "b")];
    const measure = (asked: Message[], ids: number[]) => {
      const begun = beginTurn(session, { messages: asked });
      begun.buildPrompt({ pieces: [Int32Array.from(ids)] });
      return begun.measureGrowth();
    };
    const growth = measure(messages, [1, 2, 3, 4, 5, 6]);
    expect(growth.tokens).toBe(1);
    expect(measure(messages, [1, 2, 3, 4, 9, 6]).tokens).toBe(2);
    const before = session.data.size.bytes;
    stored.record(NEXT);
    expect(growth.bytes).toBeLessThan(session.data.size.bytes - before);
    expect(measure([message("user", "z")], [1, 2, 3, 4, 5, 6]).tokens).toBe(6);
  });
});

describe("the memory of a registry", () => {
  it("is the memory of all sessions with their text", () => {
    const registry = registryWith(2);
    const sessions = [registry.start({}).session, registry.start({}).session];
    const before = registry.bytes;
    expect(before).toBe(sessions.reduce((sum, { data }) => sum + data.size.bytes, 0));
    for (const session of sessions) new LocalSession(session).record(turn([user("x".repeat(10_000))], [1], [2]));
    expect(registry.bytes - before).toBeGreaterThan(20_000);
    expect(registry.bytes).toBe(sessions.reduce((sum, { data }) => sum + data.size.bytes, 0));
  });

  it.each<[what: string, message: ChatMessage]>([
    ["names of senders", { role: "user", content: "a", name: "n".repeat(10_000) }],
    ["digests and facts of images", { role: "user", content: Array.from({ length: 60 }, () => IMAGE) }],
    ["ids of answered tool calls", { role: "tool", content: "a", tool_call_id: "c".repeat(10_000) }],
  ])("counts %s, which the agent chooses", (_, long) => {
    const registry = registryWith(1);
    const stored = new LocalSession(registry.start({}).session);
    const before = registry.bytes;
    stored.record(turn([long], [1], [2]));
    expect(registry.bytes - before).toBeGreaterThan(10_000);
  });

  it("counts messages that a call shares with its parent once", () => {
    const registry = registryWith(1);
    const stored = new LocalSession(registry.start({}).session);
    const long = user("x".repeat(100_000));
    stored.record(turn([long], [1], [2]));
    const before = registry.bytes;
    stored.record(turn([long, assistant("ok"), user("b")], [1, 2, 3], [4]));
    expect(registry.bytes - before).toBeLessThan(10_000);
  });

  it("is freed once by expiry, by deletion and by the end of retention", async () => {
    const registry = registryWith(3);
    const start = () => registry.start({}).session;
    const [deleted, exported, expired] = [start(), start(), start()];
    for (const session of [deleted, exported, expired]) new LocalSession(session).record(FIRST);
    await registry.delete(deleted.id);
    exported.end();
    exported.lifecycle.beginExport();
    exported.lifecycle.endExport("taken");
    registry.seal([exported]);
    expect(registry.bytes).toBe(exported.data.size.bytes + expired.data.size.bytes);
    registry.freeRetained(() => false);
    expect(registry.bytes).toBe(expired.data.size.bytes);
    expired.data.size.addObjects(1000);
    registry.sweep(Date.now() + 10_000);
    expired.data.size.addObjects(1000);
    expect(registry.bytes).toBe(0);
  });
});
