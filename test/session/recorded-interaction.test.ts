import { describe, expect, it } from "vitest";
import type { Message } from "../../src/conversation/message.js";
import { InteractionLog } from "../../src/session/interaction-log.js";
import {
  diffMessages,
  NOTHING_RESPELLED,
  type RecordedInteraction,
  sameMessage,
  shareTexts,
} from "../../src/session/recorded-interaction.js";

const says = (content: string): Message => ({ role: "assistant", content });
const asks = (content: string): Message => ({ role: "user", content });

/** Adds an interaction whose messages are compared with those that it inherits. */
function add(
  log: InteractionLog,
  messages: readonly Message[],
  fields: Partial<RecordedInteraction> & { rule?: "continuation" | "messages" } = {},
): RecordedInteraction {
  const { parent = -1, rule = "continuation" } = fields;
  const inherited = log.readInherited(parent < 0 ? undefined : { index: parent, rule });
  const index = log.count;
  const input = diffMessages(inherited, messages);
  const interaction = { index, id: `i${index}`, parent, output: [says(`${index}`)], toolsKey: "", ...fields, input };
  log.add(interaction as unknown as RecordedInteraction);
  return log.at(index);
}

describe("the messages of an interaction", () => {
  it("are those of its request, of which only the new and the respelled ones are stored", () => {
    const log = new InteractionLog("s");
    const first = [asks("a"), asks("b")];
    add(log, first);
    const second = [asks("A"), asks("b"), says("0"), asks("c")];
    const { input } = add(log, second, { parent: 0 });
    expect([input.inherited, [...input.respelled], input.added]).toEqual([3, [[0, asks("A")]], [asks("c")]]);
    const third = [asks("a"), asks("b"), says("zero"), asks("c"), says("1"), asks("d")];
    add(log, third, { parent: 1 });
    // Another answer to the request of the second.
    const fourth = [...second, asks("e")];
    expect(add(log, fourth, { parent: 1, rule: "messages" }).input).toEqual({
      inherited: 4,
      respelled: NOTHING_RESPELLED,
      added: [asks("e")],
    });
    const read = [0, 1, 2, 3].map((index) => log.readMessages(log.at(index)));
    expect(read).toEqual([first, second, third, fourth]);
  });

  it("may be fewer than those of the parent", () => {
    const log = new InteractionLog("s");
    add(log, [asks("a"), asks("b")]);
    const shorter = add(log, [asks("a")], { parent: 0, rule: "messages" });
    expect(shorter.input.added).toEqual([]);
    expect(log.readMessages(shorter)).toEqual([asks("a")]);
  });
});

describe("two messages", () => {
  const call = { id: "1", name: "f", arguments: "{}" };
  const message: Message = { role: "assistant", content: "a", reasoning: "r", toolCalls: [call] };

  it.each<[string, Partial<Message>]>([
    ["role", { role: "user" }],
    ["content", { content: "b" }],
    ["reasoning", { reasoning: "s" }],
    ["unknown reasoning", { hasUnknownReasoning: true }],
    ["tool call id", { toolCallId: "1" }],
    ["name", { name: "n" }],
    ["calls", { toolCalls: [] }],
    ["number of calls", { toolCalls: [call, call] }],
    ["id of a call", { toolCalls: [{ ...call, id: "2" }] }],
    ["name of a call", { toolCalls: [{ ...call, name: "g" }] }],
    ["arguments of a call", { toolCalls: [{ ...call, arguments: "[]" }] }],
  ])("differ by their %s", (_, change) => {
    expect(sameMessage({ ...message }, { ...message, toolCalls: [{ ...call }] })).toBe(true);
    expect(sameMessage(message, { ...message, ...change })).toBe(false);
  });

  it("share the texts that are equal, and are one object if all are", () => {
    const copy = structuredClone(message);
    expect(shareTexts(copy, message)).toBe(message);
    const renamed = shareTexts({ ...copy, name: "n" }, message);
    expect(renamed).toEqual({ ...message, name: "n" });
    expect(renamed.toolCalls).toBe(message.toolCalls);
    const other = shareTexts({ ...copy, toolCalls: [{ ...call, id: "2" }] }, message);
    expect(other).toEqual({ ...message, toolCalls: [{ ...call, id: "2" }] });
    expect(shareTexts({ ...copy, content: "b", reasoning: "s" }, message)).toEqual({
      ...message,
      content: "b",
      reasoning: "s",
    });
    expect(shareTexts({ role: "assistant", content: "a" }, { role: "user", content: "a" })).toEqual({
      role: "assistant",
      content: "a",
    });
  });
});

describe("the interactions of a session", () => {
  it("are found by their ids and positions, and no longer once they are cleared; their number stays", () => {
    const log = new InteractionLog("s");
    expect(() => log.requireNewest()).toThrow("has no completed model call");
    const only = add(log, [asks("a")], { toolsKey: "tools", frozen: true });
    expect([log.has("i0"), log.has("i1"), log.hasTools("tools"), log.hasTools("other")]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect([log.require("i0"), log.requireNewest(), log.frozenCount]).toEqual([only, only, 1]);
    log.clear();
    expect([log.count, log.has("i0"), log.hasTools("tools"), log.frozenCount, log.newest]).toEqual([
      1,
      false,
      false,
      0,
      undefined,
    ]);
    expect(() => log.at(0)).toThrow("Session s has no interaction 0.");
    expect(() => log.require("i0")).toThrow('Session s has no interaction "i0".');
  });

  it("give a reward without an id to the newest one of a trained model, or to the newest of all", () => {
    const log = new InteractionLog("s");
    const frozen = { frozen: true } as const;
    expect(add(log, [asks("a")], frozen)).toBe(log.requireNewestTrained());
    const trained = add(log, [asks("b")]);
    expect(log.requireNewestTrained()).toBe(trained);
    add(log, [asks("c")], frozen);
    expect([log.requireNewestTrained(), log.frozenCount]).toEqual([trained, 2]);
    expect(add(log, [asks("d")])).toBe(log.requireNewestTrained());
  });
});
