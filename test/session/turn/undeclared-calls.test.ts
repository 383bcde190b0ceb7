import { describe, expect, it } from "vitest";
import type { Message, Tool } from "../../../src/conversation/message.js";
import type { RecordedInteraction } from "../../../src/session/recorded-interaction.js";
import { Session } from "../../../src/session/session.js";
import type { DeclaredTools } from "../../../src/session/turn/undeclared-calls.js";
import { beginTurn, recordTurn } from "../../helpers/record-turn.js";

const TOOLS: readonly Tool[] = [{ type: "function", function: { name: "look" } }];
const LOADED: readonly Tool[] = [{ type: "function", function: { name: "loaded" } }];
const user: Message = { role: "user", content: "weather?" };
const done: Message = { role: "assistant", content: "done" };
const result = (toolCallId: string): Message => ({ role: "tool", content: "unknown tool", toolCallId });

function calling(name: string, id: string, more: Partial<Message> = {}): Message {
  return { role: "assistant", content: "", toolCalls: [{ id, name, arguments: `{"of": "${name}"}` }], ...more };
}

function record(
  session: Session,
  messages: readonly Message[],
  output: Message,
  declared: DeclaredTools = { tools: TOOLS, loadedTools: LOADED },
): RecordedInteraction {
  return recordTurn(session, { messages, ...declared }, { output: [output] });
}

const newSession = () => new Session({ id: "s", taskId: "s" });
const findRule = (session: Session, messages: readonly Message[]) =>
  beginTurn(session, { messages, tools: TOOLS }).parent;

describe("a call of a tool that was not declared, replaced by the client", () => {
  it("is continued at the first turn", () => {
    const session = newSession();
    const first = record(session, [user], calling("fly", "a"));
    const rule = findRule(session, [user, calling("invalid", "a"), result("a")]);
    expect(rule).toEqual({ index: first.index, rule: "continuation" });
  });

  it("is continued later in a conversation, and again after that", () => {
    const session = newSession();
    const history = [user, calling("look", "a"), result("a")];
    record(session, [user], calling("look", "a"));
    const unknown = record(session, history, calling("fly", "b"));
    const replaced = [...history, calling("invalid", "b"), result("b")];
    const next = record(session, replaced, calling("swim", "c"));
    const again = [...replaced, calling("invalid", "c"), result("c")];
    const last = record(session, again, done);
    const after = record(session, [...again, done, user], done);
    expect([next, last, after].map(({ parent }) => parent)).toEqual([unknown, next, last].map(({ index }) => index));
    expect(session.data.log.readMessages(next)).toEqual(replaced);
    expect(session.data.log.readMessages(after)).toEqual([...again, done, user]);
  });

  it("is distinguished from an equal call by its id", () => {
    const session = newSession();
    const first = record(session, [user], calling("fly", "a"));
    record(session, [user], calling("fly", "b"));
    expect(findRule(session, [user, calling("invalid", "a"), result("a")])?.index).toBe(first.index);
  });

  it("is continued among declared calls", () => {
    const session = newSession();
    const calls = (name: string) => [
      { id: "a", name: "look", arguments: "{}" },
      { id: "b", name, arguments: "{}" },
    ];
    record(session, [user], { ...done, toolCalls: calls("fly") });
    const now = [user, { ...done, toolCalls: calls("invalid") }, result("a"), result("b")];
    expect(findRule(session, now)?.rule).toBe("continuation");
    expect(findRule(session, [...now, done, user])?.rule).toBe("continuation");
  });
});

describe("a rewritten answer is no continuation", () => {
  const rewritten = (output: Message, now: Message, before: readonly Message[] = [user]) => {
    const session = newSession();
    record(session, [user], output);
    return findRule(session, [...before, now, result("a")])?.rule;
  };

  it("if the tool was declared, in the list of tools or in the messages", () => {
    expect(rewritten(calling("look", "a"), calling("invalid", "a"))).toBe("messages");
    expect(rewritten(calling("loaded", "a"), calling("invalid", "a"))).toBe("messages");
  });

  it("if the client changed the id, the text or the number of calls", () => {
    const replaced = calling("invalid", "a");
    expect(rewritten(calling("fly", "a"), calling("invalid", "x"))).toBe("messages");
    expect(rewritten(calling("fly", "a"), { ...replaced, content: "text" })).toBe("messages");
    const twice = [...(replaced.toolCalls ?? []), ...(calling("look", "b").toolCalls ?? [])];
    expect(rewritten(calling("fly", "a"), { ...replaced, toolCalls: twice })).toBe("messages");
  });

  it("if earlier messages differ", () => {
    expect(rewritten(calling("fly", "a"), calling("invalid", "a"), [{ ...user, content: "other" }])).toBeUndefined();
  });

  it("if the request declared no tools, so that nothing is known about its calls", () => {
    const session = newSession();
    record(session, [user], calling("fly", "a"), {});
    expect(findRule(session, [user, calling("invalid", "a"), result("a")])?.rule).toBe("messages");
  });
});
