import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WireExport } from "../helpers/export-json.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";

/** The limit of the text of messages and tools is checked before anything is hashed or rendered. */

const LIMIT = 10_000;
const USER = [{ role: "user", content: "hello" }];
const LONG = "x".repeat(LIMIT);

let proxy: Proxy;
let session: StartedSession;

beforeEach(async () => {
  proxy = await Proxy.start({ settings: { maxPromptCharacters: LIMIT } });
  session = await proxy.session();
});
afterEach(() => proxy.close());

const tool = (description: string) => ({
  type: "function",
  function: { name: "f", description, parameters: { type: "object", properties: {} } },
});
const call = (json: string) => ({ id: "a", type: "function", function: { name: "f", arguments: json } });

describe("a model call is refused with 413 before the engine is asked", () => {
  it.each<[what: string, path: string, body: object]>([
    ["a long message", "/v1/chat/completions", { messages: [{ role: "user", content: LONG }] }],
    [
      "many messages that are long together",
      "/v1/chat/completions",
      { messages: Array.from({ length: 11 }, () => ({ role: "user", content: "x".repeat(1000) })) },
    ],
    [
      "many messages without text",
      "/v1/chat/completions",
      { messages: Array.from({ length: 700 }, () => ({ role: "user", content: "" })) },
    ],
    ["a long description of a tool", "/v1/chat/completions", { messages: USER, tools: [tool(LONG)] }],
    [
      "long arguments of a tool call",
      "/v1/chat/completions",
      { messages: [...USER, { role: "assistant", tool_calls: [call(JSON.stringify({ text: LONG }))] }] },
    ],
    [
      "a long id of a tool call",
      "/v1/chat/completions",
      { messages: [...USER, { role: "assistant", tool_calls: [{ ...call("{}"), id: LONG }] }] },
    ],
    [
      "a long id of the call that a tool's message answers",
      "/v1/chat/completions",
      { messages: [...USER, { role: "tool", tool_call_id: LONG, content: "done" }] },
    ],
    ["a long name of a sender", "/v1/chat/completions", { messages: [{ role: "user", name: LONG, content: "hello" }] }],
    ["a long input", "/v1/responses", { input: LONG }],
    [
      "a long message in Anthropic's API",
      "/v1/messages",
      { max_tokens: 8, messages: [{ role: "user", content: LONG }] },
    ],
    [
      "a long message whose tokens are counted",
      "/v1/messages/count_tokens",
      { messages: [{ role: "user", content: LONG }] },
    ],
  ])("%s", async (_, url, body) => {
    const reply = await proxy.post(url, { model: "tiny", ...body }, session.key);
    expect(reply.status).toBe(413);
    expect(reply.error).toMatchObject({ code: "prompt_too_large" });
    expect(reply.error.message).toMatch(
      /^The messages and tools count as [0-9,]+ characters; server\.max_prompt_characters allows 10,000\.$/,
    );
    expect(proxy.engine.calls).toEqual([]);
  });
});

it("leaves the session unchanged after a refusal", async () => {
  const { id } = await proxy.turn(session, USER);
  await proxy.chat(session, [{ role: "user", content: LONG }]);
  expect((await proxy.chat(session, [{ role: "user", content: "still here" }])).status).toBe(200);
  await proxy.end(session);
  const { interactions } = (await proxy.export(session)).json<WireExport>();
  expect(Object.keys(interactions)).toHaveLength(2);
  expect(Object.keys(interactions)).toContain(id);
});

it("does not count fields that are not in the prompt", async () => {
  const reply = await proxy.chat(session, USER, { metadata: { note: "y".repeat(500) }, user: "z".repeat(500) });
  expect(reply.status).toBe(200);
});
