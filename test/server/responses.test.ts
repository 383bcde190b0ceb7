import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { WireExport } from "../helpers/export-json.js";
import { Proxy, type Reply, type StartedSession } from "../helpers/proxy.js";
import { readData } from "../helpers/sse.js";

interface Response {
  readonly id: string;
  readonly status: string;
  readonly output: readonly { readonly type: string; readonly id: string }[];
}

let proxy: Proxy;
let session: StartedSession;
beforeAll(async () => {
  proxy = await Proxy.start();
  answer = decodeText([300, 301, 302]);
});
afterAll(() => proxy.close());
beforeEach(async () => {
  session = await proxy.session();
});

const TOOL = {
  type: "function",
  name: "add",
  parameters: { type: "object", properties: { a: { type: "number" } } },
  strict: true,
};

const send = (body: object): Promise<Reply> =>
  proxy.post("/v1/responses", { model: "tiny", input: "hello", ...body }, session.key);
const retrieve = (id: string): Promise<Reply> => proxy.request({ url: `/v1/responses/${id}` }, session.key);

const lastCall = () => {
  const call = proxy.engine.calls.at(-1);
  if (!call) throw new Error("the engine was not called");
  return call;
};
const promptText = () => proxy.context.model.decode(lastCall().prompt.tokens(), { skipSpecialTokens: false });
const decodeText = (ids: readonly number[]) =>
  proxy.context.model.decode(Int32Array.from(ids), { skipSpecialTokens: true });
let answer: string;

async function exported() {
  await proxy.end(session);
  return Object.values((await proxy.export(session, { include: ["messages"] })).json<WireExport>().interactions);
}

describe("a response", () => {
  it("has OpenAI's shape and the id of the interaction", async () => {
    const reply = (
      await send({ instructions: "be brief", max_output_tokens: 9, metadata: { a: "b" } })
    ).json<Response>();
    expect(reply).toMatchObject({
      object: "response",
      status: "completed",
      model: "tiny",
      error: null,
      truncation: "disabled",
      incomplete_details: null,
      instructions: "be brief",
      max_output_tokens: 9,
      metadata: { a: "b" },
      output: [
        { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: answer }] },
      ],
      usage: { input_tokens: lastCall().prompt.length, output_tokens: 3, total_tokens: lastCall().prompt.length + 3 },
    });
    expect(lastCall().sampling.maxTokens).toBe(9);
    expect(promptText()).toContain("<|im_start|>system\nbe brief<|im_end|>");
    expect((await exported())[0]).toMatchObject({ interaction_id: reply.id, api: "responses" });
  });

  it("is incomplete if it reached the token limit, also in a stream", async () => {
    proxy.engine.replies.push({ ids: [300], finish: { reason: "length" } });
    const cut = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
    expect((await send({})).json()).toMatchObject(cut);
    proxy.engine.replies.push({ ids: [300], finish: { reason: "length" } });
    const events = readData<{ type: string; response?: Response }>((await send({ stream: true })).raw.toString());
    expect(events.at(-1)).toMatchObject({ type: "response.incomplete", response: cut });
  });

  it("is streamed as OpenAI's events", async () => {
    const events = readData<{ type: string; sequence_number: number }>((await send({ stream: true })).raw.toString());
    expect(events.map((event) => event.type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, i) => i));
  });

  it("can be retrieved as long as its session, unless store is false", async () => {
    const stored = await send({});
    const { id } = stored.json<Response>();
    expect((await retrieve(id)).json()).toEqual(stored.json());
    const hidden = (await send({ store: false })).json<Response>();
    expect((await retrieve(hidden.id)).refusal).toBe("404 response_not_found");
    const streamed = await proxy.request({ url: `/v1/responses/${id}?stream=true` }, session.key);
    expect([streamed.refusal, streamed.error.param]).toEqual(["400 unsupported_parameter", "stream"]);
    const stranger = await proxy.session();
    expect((await proxy.request({ url: `/v1/responses/${id}` }, stranger.key)).refusal).toBe("404 response_not_found");
  });
});

describe("input", () => {
  it("merges reasoning, a message and calls in sequence into one turn", async () => {
    await send({
      tools: [TOOL],
      input: [
        { role: "user", content: [{ type: "input_text", text: "hi" }] },
        { type: "reasoning", id: "rs_1", summary: [], content: [{ type: "reasoning_text", text: "hm" }] },
        {
          type: "message",
          role: "assistant",
          id: "msg_1",
          status: "completed",
          content: [{ type: "output_text", text: "so" }],
        },
        { type: "function_call", call_id: "c1", name: "add", arguments: '{"a": 1}' },
        { type: "function_call", call_id: "c2", name: "add", arguments: '{"a": 2}' },
        { type: "function_call_output", call_id: "c1", output: "one" },
        { type: "function_call_output", call_id: "c2", output: [{ type: "input_text", text: "two" }] },
        { role: "assistant", content: "first" },
        { role: "assistant", content: "second" },
        { role: "user", content: "bye" },
      ],
    });
    const [only] = await exported();
    expect(only?.messages).toEqual([
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: "so",
        reasoning_content: "hm",
        tool_calls: [
          { id: "c1", type: "function", function: { name: "add", arguments: '{"a": 1}' } },
          { id: "c2", type: "function", function: { name: "add", arguments: '{"a": 2}' } },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "one" },
      { role: "tool", tool_call_id: "c2", content: "two" },
      { role: "assistant", content: "first" },
      { role: "assistant", content: "second" },
      { role: "user", content: "bye" },
    ]);
  });

  it("continues an earlier response without its instructions", async () => {
    const first = (await send({ instructions: "be brief" })).json<Response>();
    const second = (
      await send({ input: "more", previous_response_id: first.id, instructions: "be long" })
    ).json<Response>();
    expect(promptText()).toBe(
      "<|im_start|>system\nbe long<|im_end|>\n<|im_start|>user\nhello<|im_end|>\n" +
        `<|im_start|>assistant\n${answer}<|im_end|>\n<|im_start|>user\nmore<|im_end|>\n<|im_start|>assistant\n`,
    );
    await send({ input: "and more", previous_response_id: second.id });
    expect(promptText()).not.toContain("system");
    expect(promptText()).toContain("hello");
    expect(promptText()).toContain("more<|im_end|>");
  });

  it("is the child of the response that it continues", async () => {
    const first = (await send({})).json<Response>();
    await send({ input: "more", previous_response_id: first.id });
    const [, second] = await exported();
    expect(second?.parent_id).toBe(first.id);
  });

  it("is the child of the response that it names, even if a newer one has the same messages and answer", async () => {
    const twins = [];
    for (let i = 0; i < 3; i++) twins.push((await send({ instructions: "be brief" })).json<Response>().id);
    for (const id of twins) await send({ input: "more", previous_response_id: id, instructions: "be brief" });
    await send({ input: "more", previous_response_id: twins[0], instructions: "be long" });
    const parents = (await exported()).slice(twins.length).map(({ parent_id }) => parent_id);
    expect(parents).toEqual([...twins, null]);
  });

  it("is the child of the response whose items it repeats, if several have the same messages and answer", async () => {
    const twins = [];
    for (let i = 0; i < 3; i++) twins.push((await send({})).json<Response>());
    const user = { role: "user", content: "hello" };
    for (const { output } of twins) await send({ input: [user, ...output, { role: "user", content: "more" }] });
    const [first] = twins;
    const reference = { type: "item_reference", id: first?.output[0]?.id };
    await send({ input: [user, reference, { role: "user", content: "more" }] });
    const parents = (await exported()).slice(twins.length).map(({ parent_id }) => parent_id);
    expect(parents).toEqual([...twins, first].map((twin) => twin?.id));
  });

  it("accepts references to items of stored responses", async () => {
    const first = (await send({})).json<Response>();
    const reference = { type: "item_reference", id: first.output[0]?.id };
    await send({ input: [{ role: "user", content: "hello" }, reference, { role: "user", content: "more" }] });
    const [, second] = await exported();
    expect(second).toMatchObject({
      parent_id: first.id,
      messages: [{ content: "hello" }, { role: "assistant", content: answer }, { content: "more" }],
    });
  });

  it.each([
    ["previous_response_id", { previous_response_id: "resp_0" }],
    ["input", { input: [{ type: "item_reference", id: "msg_0123_0" }] }],
  ])("is refused if it names an unknown response: %s", async (param, body) => {
    const reply = await send(body);
    expect(reply.refusal).toBe("400 previous_response_not_found");
    expect(reply.error.param).toBe(param);
  });
});

describe("an error names the field", () => {
  it.each([
    ["a previous_response_id that is too long", { previous_response_id: "r".repeat(1025) }, "previous_response_id"],
    ["a reference that is too long", { input: [{ type: "item_reference", id: "r".repeat(1025) }] }, "input[0].id"],
    [
      "an image",
      { input: [{ role: "user", content: [{ type: "input_image", image_url: "data:" }] }] },
      "input[0].content[0].type",
    ],
    ["a built-in tool", { tools: [{ type: "web_search" }] }, "tools[0].type"],
    ["no input", { input: null }, "input"],
    ["background", { background: true }, "background"],
    ["truncation", { truncation: "auto" }, "truncation"],
    ["at most one tool call", { tools: [TOOL], parallel_tool_calls: false }, "parallel_tool_calls"],
    ["a required tool call", { tools: [TOOL], tool_choice: "required" }, "tool_choice"],
    ["an unknown effort", { reasoning: { effort: "huge" } }, "reasoning.effort"],
    ["structured output without a grammar", { text: { format: { type: "json_object" } } }, "text.format"],
    ["an unknown field", { wizard: 1 }, "wizard"],
  ])("%s", async (_, body, param) => {
    const reply = await send(body);
    expect(reply.status).toBe(400);
    expect(reply.error.param).toBe(param);
  });

  it("but not for null, which counts as absent", async () => {
    const item = { type: null, id: null, role: "user", content: "a" };
    expect((await send({ input: [item], tools: null, text: { format: null } })).refusal).toBe("200");
  });

  it("but not for a field that cannot change the result", async () => {
    const harmless = {
      include: ["reasoning.encrypted_content"],
      truncation: "disabled",
      parallel_tool_calls: true,
      text: { format: { type: "text" }, verbosity: "medium" },
      reasoning: { effort: "low", summary: "auto" },
      user: "me",
    };
    expect((await send(harmless)).refusal).toBe("200");
  });
});
