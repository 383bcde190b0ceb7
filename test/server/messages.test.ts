import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { WireExport } from "../helpers/export-json.js";
import { Proxy, type Reply, type StartedSession } from "../helpers/proxy.js";
import { readEvents } from "../helpers/sse.js";

let proxy: Proxy;
let session: StartedSession;
beforeAll(async () => {
  proxy = await Proxy.start();
});
afterAll(() => proxy.close());
beforeEach(async () => {
  session = await proxy.session();
});

const USER = { role: "user", content: "hello" };
const TOOL = {
  name: "add",
  description: "adds",
  input_schema: { type: "object", properties: { a: { type: "number" } } },
};

function send(body: object, url = "/v1/messages"): Promise<Reply> {
  return proxy.request(
    {
      method: "POST",
      url,
      payload: { model: "tiny", max_tokens: 16, messages: [USER], ...body },
      headers: { "x-api-key": session.key },
    },
    null,
  );
}

const count = (body: object) =>
  proxy.request(
    {
      method: "POST",
      url: "/v1/messages/count_tokens",
      payload: { model: "tiny", messages: [USER], ...body },
      headers: { "x-api-key": session.key },
    },
    null,
  );

const lastCall = () => {
  const call = proxy.engine.calls.at(-1);
  if (!call) throw new Error("the engine was not called");
  return call;
};
const promptText = () => proxy.context.model.decode(lastCall().prompt.tokens(), { skipSpecialTokens: false });
const decodeText = (ids: readonly number[]) =>
  proxy.context.model.decode(Int32Array.from(ids), { skipSpecialTokens: true });

async function exported() {
  await proxy.end(session);
  return Object.values((await proxy.export(session, { include: ["messages"] })).json<WireExport>().interactions);
}

describe("a message", () => {
  it("has Anthropic's shape, and its id is the interaction's", async () => {
    proxy.engine.replies.push({ ids: [300, 301, 302], cachedTokens: 4 });
    const reply = await send({});
    expect(reply.headers["request-id"]).toBeTruthy();
    const message = reply.json<{ id: string }>();
    expect(message).toMatchObject({
      type: "message",
      role: "assistant",
      model: "tiny",
      content: [{ type: "text", text: decodeText([300, 301, 302]) }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: lastCall().prompt.length - 4, output_tokens: 3, cache_read_input_tokens: 4 },
    });
    const [only] = await exported();
    expect(only).toMatchObject({ interaction_id: message.id, api: "messages" });
  });

  it.each(["/v1/messages", "/messages", "/v1/v1/messages"])("can be created at %s", async (url) => {
    expect((await send({}, url)).status).toBe(200);
  });

  it("has the stop reason: the limit, or the stop sequence", async () => {
    proxy.engine.replies.push({ ids: [300], finish: { reason: "length" } });
    expect((await send({})).json()).toMatchObject({ stop_reason: "max_tokens" });
    const full = decodeText([300, 301, 302]);
    const stop = full.slice(1, 3);
    proxy.engine.replies.push({ ids: [300, 301, 302], finish: { reason: "stop", matched: stop } });
    expect((await send({ stop_sequences: [stop] })).json()).toMatchObject({
      content: [{ text: full.slice(0, full.indexOf(stop)) }],
      stop_reason: "stop_sequence",
      stop_sequence: stop,
    });
    expect(lastCall().sampling.stop).toEqual([stop]);
  });

  it("is streamed as Anthropic's events", async () => {
    proxy.engine.replies.push({ ids: [300, 301, 302], perFrame: 1 });
    const events = readEvents((await send({ stream: true })).raw.toString()).map((event) => event.event);
    expect(events.slice(0, 4)).toEqual(["message_start", "ping", "content_block_start", "content_block_delta"]);
    expect(events.slice(-3)).toEqual(["content_block_stop", "message_delta", "message_stop"]);
  });
});

describe("a prompt", () => {
  const prefix = (system: string) => `<|im_start|>system\n${system}<|im_end|>\n`;

  it("begins with the system prompt, given as text or as blocks", async () => {
    await send({ system: "be brief" });
    expect(promptText()).toContain(prefix("be brief"));
    await send({
      system: [
        { type: "text", text: "one", cache_control: { type: "ephemeral" } },
        { type: "text", text: "two" },
      ],
    });
    expect(promptText()).toContain(prefix("one\ntwo"));
  });

  it("contains tools in the form of chat templates, and none with tool_choice none", async () => {
    await send({ tools: [TOOL] });
    expect(promptText()).toContain(
      '{"type": "function", "function": {"name": "add", "description": "adds", "parameters"',
    );
    await send({ tools: [TOOL], tool_choice: { type: "none" } });
    expect(promptText()).not.toContain("adds");
    expect((await send({ tool_choice: { type: "any" } })).status).toBe(400);
  });

  it("contains a tool loop: calls in the assistant's turn, and one message per result", async () => {
    await send({
      tools: [TOOL],
      messages: [
        USER,
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm", signature: "" },
            { type: "redacted_thinking", data: "x" },
            { type: "text", text: "let me see" },
            { type: "tool_use", id: "t1", name: "add", input: { a: 1 } },
            { type: "tool_use", id: "t2", name: "add", input: { a: 2 } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "one" }] },
            { type: "tool_result", tool_use_id: "t2", content: "two", is_error: true },
            { type: "text", text: "go on" },
          ],
        },
      ],
    });
    const [only] = await exported();
    expect(only?.messages).toEqual([
      USER,
      {
        role: "assistant",
        content: "let me see",
        reasoning_content: "hm",
        tool_calls: [
          { id: "t1", type: "function", function: { name: "add", arguments: '{"a":1}' } },
          { id: "t2", type: "function", function: { name: "add", arguments: '{"a":2}' } },
        ],
      },
      { role: "tool", tool_call_id: "t1", content: "one" },
      { role: "tool", tool_call_id: "t2", content: "two" },
      { role: "user", content: "go on" },
    ]);
  });

  it("treats null as absent in a tool and in a result", async () => {
    const use = { type: "tool_use", id: "t1", name: "add", input: {} };
    const result = { type: "tool_result", tool_use_id: "t1", content: null, is_error: null };
    const messages = [USER, { role: "assistant", content: [use] }, { role: "user", content: [result] }];
    expect((await send({ tools: [{ ...TOOL, type: null, description: null }], messages })).refusal).toBe("200");
    expect(promptText()).not.toContain('"description": null');
  });

  it("is counted in tokens without a call to the engine", async () => {
    await send({ system: "be brief", tools: [TOOL] });
    const calls = proxy.engine.calls.length;
    const counted = await count({ system: "be brief", tools: [TOOL] });
    expect(counted.json()).toEqual({ input_tokens: lastCall().prompt.length });
    expect(proxy.engine.calls.length).toBe(calls);
  });

  it("passes thinking, effort and chat_template_kwargs to the template", async () => {
    for (const body of [
      { thinking: { type: "enabled", budget_tokens: 1024 }, max_tokens: 2048 },
      { thinking: { type: "disabled" } },
      { thinking: { type: "adaptive" }, output_config: { effort: "high" } },
      { chat_template_kwargs: { enable_thinking: false } },
      { context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] } },
    ]) {
      expect((await send(body)).refusal).toBe("200");
    }
  });
});

describe("an error in Anthropic's shape names the field", () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "" } };

  it.each([
    ["an image", { messages: [{ role: "user", content: [image] }] }, "messages[0].content[0].type"],
    ["no max_tokens", { max_tokens: null }, "max_tokens"],
    [
      "a tool call as prefill",
      { messages: [USER, { role: "assistant", content: [{ type: "tool_use", id: "c", name: "f", input: {} }] }] },
      "messages",
    ],
    ["a prefill that ends with a space", { messages: [USER, { role: "assistant", content: "So " }] }, "messages"],
    ["a prefill without a question", { messages: [{ role: "assistant", content: "So" }] }, "messages"],
    [
      "a prefill with thinking",
      { messages: [USER, { role: "assistant", content: "So" }], thinking: { type: "adaptive" } },
      "thinking",
    ],
    [
      "a prefill with a required tool call",
      { messages: [USER, { role: "assistant", content: "So" }], tools: [TOOL], tool_choice: { type: "any" } },
      "tool_choice",
    ],
    ["a server tool", { tools: [{ type: "web_search_20250305", name: "web_search" }] }, "tools[0].type"],
    [
      "at most one tool call",
      { tools: [TOOL], tool_choice: { type: "auto", disable_parallel_tool_use: true } },
      "tool_choice.disable_parallel_tool_use",
    ],
    [
      "a thinking budget above max_tokens",
      { thinking: { type: "enabled", budget_tokens: 4096 } },
      "thinking.budget_tokens",
    ],
    ["a thinking budget below 1024", { thinking: { type: "enabled", budget_tokens: 5 } }, "thinking.budget_tokens"],
    ["MCP servers", { mcp_servers: [{ name: "x" }] }, "mcp_servers"],
    ["an unknown field", { wizard: 1 }, "wizard"],
  ])("%s", async (_, body, param) => {
    const reply = await send(body);
    expect(reply.status).toBe(400);
    expect(reply.json()).toMatchObject({ type: "error", error: { type: "invalid_request_error", param } });
    expect(reply.headers["request-id"]).toBeTruthy();
  });

  it("of an empty list of blocks", async () => {
    const { error } = await send({ messages: [{ role: "user", content: [] }] });
    expect(error).toMatchObject({ param: "messages[0].content", message: "messages[0].content: must hold at least 1" });
  });

  it("of structured output without a grammar", async () => {
    const reply = await send({ output_config: { format: { type: "json_schema", schema: { type: "object" } } } });
    expect(reply.refusal).toBe("400 unsupported_parameter");
  });

  it("has the type authentication_error for a wrong key", async () => {
    const reply = await proxy.request({ method: "POST", url: "/v1/messages", payload: {} }, "sk-unknown-unknown");
    expect(reply.status).toBe(401);
    expect(reply.json()).toMatchObject({ type: "error", error: { type: "authentication_error" } });
  });
});
