import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { StartedSession } from "../helpers/proxy.js";
import { ServedAgents, toolCall } from "../helpers/served-agents.js";

/** Tools with `defer_loading` in Anthropic's API: the prompt shows their definition where the conversation refers to them. */

let agents: ServedAgents;
let session: StartedSession;
beforeAll(async () => {
  agents = await ServedAgents.start({ model: { toolCallParser: "hermes" }, settings: { chatTemplateType: "concat" } });
});
beforeEach(async () => {
  session = await agents.session();
});
afterAll(() => agents.close());

const tool = (name: string, extra: object = {}) => ({
  name,
  description: `Does ${name}.`,
  input_schema: { type: "object", properties: { q: { type: "string" } } },
  ...extra,
});
const search = tool("search");
const later = tool("later", { defer_loading: true });
const tools = [search, later];

const user = { role: "user", content: "hello" };
const use = { role: "assistant", content: [{ type: "tool_use", id: "c", name: "search", input: {} }] };
const result = (content: unknown) => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: "c", content }],
});
const reference = (name: string) => ({ type: "tool_reference", tool_name: name });
const text = (value: string) => ({ type: "text", text: value });

const DEFINITION =
  '<function>{"description":"Does later.","name":"later","parameters":{"type":"object","properties":{"q":{"type":"string"}}}}</function>';

const post = (messages: readonly object[], extra: object = {}) =>
  agents.proxy.post("/v1/messages", { messages, tools, max_tokens: 64, ...extra }, session.key);

const lastPrompt = () => {
  const { engine, context } = agents.proxy;
  return context.model.decode(engine.calls.at(-1)?.prompt.tokens() ?? new Int32Array(), { skipSpecialTokens: false });
};

describe("a deferred tool", () => {
  it("is not in the prompt before a message refers to it", async () => {
    expect((await post([user])).refusal).toBe("200");
    expect(lastPrompt()).toContain("Does search.");
    expect(lastPrompt()).not.toContain("later");
  });

  it("is shown where a tool result refers to it", async () => {
    await post([user, use, result([reference("later")])]);
    expect(lastPrompt()).toContain(`<tool_response>\n<functions>\n${DEFINITION}\n</functions>\n</tool_response>`);
  });

  it("is shown on lines of its own between texts", async () => {
    await post([user, use, result([text("Found:"), reference("later"), text("Call it.")])]);
    expect(lastPrompt()).toContain(`Found:\n<functions>\n${DEFINITION}\n</functions>\nCall it.`);
  });

  it("is defined once, however often messages refer to it", async () => {
    await post([user, use, result([reference("later"), reference("later")]), use, result([reference("later")])]);
    expect(lastPrompt().split(DEFINITION)).toHaveLength(2);
    expect(lastPrompt().split('<function>{"name":"later"}</function>')).toHaveLength(3);
  });

  it("can be called after that", async () => {
    await agents.say(toolCall("later", { q: "x" }));
    const reply = await post([user, use, result([reference("later")])]);
    expect(reply.json()).toMatchObject({
      stop_reason: "tool_use",
      content: [{ type: "tool_use", name: "later", input: { q: "x" } }],
    });
  });

  it("can be called if it is the only tool", async () => {
    await agents.say(toolCall("later", { q: "x" }));
    const reply = await post([user, { role: "system", content: [addition] }], { tools: [later] });
    expect(reply.json()).toMatchObject({ content: [{ type: "tool_use", name: "later" }] });
  });

  it("is listed if tool_choice names it", async () => {
    await post([user], { tool_choice: { type: "auto" } });
    expect(lastPrompt()).not.toContain("Does later.");
    const reply = await post([user], { tool_choice: { type: "tool", name: "later" } });
    // This engine enforces no calls, but knows the tool.
    expect(reply.error.message).not.toContain("not in tools");
  });

  it("does not change the prompt before the message that refers to it", async () => {
    await agents.say(toolCall("search", { q: "later" }));
    const first = (await post([user])).json<{ id: string; content: { id: string }[] }>();
    const answer = { role: "assistant", content: first.content };
    const found = { type: "tool_result", tool_use_id: first.content[0]?.id, content: [reference("later")] };
    // Claude Code adds the tool to the list when it was found.
    const added = [search, later, tool("placeholder", { defer_loading: true })];
    await agents.say("Done.");
    await post([user, answer, { role: "user", content: [found] }], { tools: added });
    const { interactions } = await agents.recorded(session);
    expect(interactions).toMatchObject([{ parent_id: null }, { parent_id: first.id, token_exact: true }]);
  });

  it("counts in count_tokens as in a call", async () => {
    const messages = [user, use, result([reference("later")])];
    const counted = await agents.proxy.post("/v1/messages/count_tokens", { messages, tools }, session.key);
    await post(messages);
    expect(counted.json()).toEqual({ input_tokens: agents.proxy.engine.calls.at(-1)?.prompt.length });
  });

  it("is refused if the request does not declare it", async () => {
    const { status, error } = await post([user, use, result([reference("unknown")])]);
    expect(status).toBe(400);
    expect(error.message).toBe('messages: a tool_reference names the tool "unknown", which is not in tools.');
  });
});

const addition = { type: "tool_addition", tool: { type: "tool_reference", name: "later" } };

describe("a system message that changes the tools", () => {
  it("shows an added tool", async () => {
    await post([user, { role: "system", content: [text("New:"), addition] }]);
    expect(lastPrompt()).toContain(`<|im_start|>system\nNew:\n<functions>\n${DEFINITION}\n</functions><|im_end|>`);
  });

  it("shows a tool that it defines", async () => {
    const definition = tool("fresh");
    const defined = { type: "tool_addition", tool: { type: "tool_definition", definition } };
    await agents.say(toolCall("fresh", { q: "x" }));
    const reply = await post([user, { role: "system", content: [defined] }]);
    expect(lastPrompt()).toContain('"description":"Does fresh."');
    expect(reply.json()).toMatchObject({ content: [{ type: "tool_use", name: "fresh" }] });
  });

  it("names a removed tool", async () => {
    const removal = { type: "tool_removal", tool: { type: "tool_reference", name: "search" } };
    await post([user, { role: "system", content: [removal, text("Go on.")] }]);
    expect(lastPrompt()).toContain("The tool search is no longer available.\nGo on.");
  });
});
