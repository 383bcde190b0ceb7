import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServedAgents } from "../helpers/served-agents.js";

/** Tool-call arguments keep the model's spelling, even in Anthropic's API, where they are JSON values instead of text. */

let agents: ServedAgents;
beforeAll(async () => {
  agents = await ServedAgents.start({ settings: { chatTemplateType: "concat" }, model: { toolCallParser: "hermes" } });
});
afterAll(() => agents.close());

const LONG = "the quick brown fox jumps over the lazy dog, ".repeat(500);
const ARGUMENTS = ['{"id":12345678901234567890}', '{"x":1.0,"y":-0,"z":1E2}', '{"b":1,"2":{"1":0,"0":[1.50]}}'];

const post = async (url: string, payload: string, key: string) =>
  agents.proxy.request({ method: "POST", url, payload, headers: { "content-type": "application/json" } }, key);

const lastPrompt = () => [...(agents.proxy.engine.calls.at(-1)?.prompt.tokens() ?? [])];

const chat = (user: string, text: string) =>
  `{"messages":[{"role":"user","content":"${user}"},{"role":"assistant","content":"","tool_calls":[{"id":"c","type":` +
  `"function","function":{"name":"f","arguments":${JSON.stringify(text)}}}]},{"role":"tool","tool_call_id":"c","content":"4"}]}`;
const messages = (user: string, text: string, more = "") =>
  `{"max_tokens":9,"messages":[{"role":"user","content":"${user}"},{"role":"assistant","content":[{"type":"tool_use",` +
  `"id":"c","name":"f","input":${text}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"4"}]}${more}]}`;

describe.each(["short", LONG])("tool-call arguments in messages", (user) => {
  it.each(ARGUMENTS)("give the same prompt as in chat completions: %s", async (text) => {
    const whole = await agents.session();
    expect(await post("/v1/chat/completions", chat(user, text), whole.key)).toMatchObject({ status: 200 });
    const expected = lastPrompt();
    const session = await agents.session();
    // The second request begins like the first, so the server may use its memory of the first.
    for (const turn of [1, 2]) {
      const before = turn === 1 ? messages(user, '{"a":0.0}') : messages(user, text);
      expect(await post("/v1/messages", before, session.key)).toMatchObject({ status: 200 });
    }
    expect(lastPrompt()).toEqual(expected);
  });
});

describe("a tool call by the model", () => {
  const tools: Anthropic.Tool[] = [{ name: "f", input_schema: { type: "object" } }];
  const say = (text: string) => agents.say(`<tool_call>\n{"name":"f","arguments":${text}}\n</tool_call>`);
  const asked = (rest = "") =>
    `{"max_tokens":99,"tools":${JSON.stringify(tools)},"messages":[{"role":"user","content":"hi"}${rest}]}`;

  it.each(ARGUMENTS)("is sent as the model wrote it, and continued token-exactly: %s", async (text) => {
    const session = await agents.session();
    await say(text);
    const reply = (await post("/v1/messages", asked(), session.key)).raw.toString();
    expect(reply).toContain(`"input":${text},`);
    const content = reply.slice(reply.indexOf('"content":') + '"content":'.length, reply.indexOf(',"stop_reason"'));
    const [call] = JSON.parse(content) as [{ id: string }];
    const result = JSON.stringify({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: call.id, content: "4" }],
    });
    await agents.say("done");
    await post("/v1/messages", asked(`,{"role":"assistant","content":${content}},${result}`), session.key);
    const { interactions } = await agents.recorded(session);
    expect(interactions.map(({ token_exact }) => token_exact)).toEqual([false, true]);
  });

  it("is parsed by the SDK, streamed or not", async () => {
    const { key } = await agents.session();
    const client = new Anthropic({ baseURL: agents.url, apiKey: key, authToken: null, maxRetries: 0 });
    const body = { model: "m", max_tokens: 99, messages: [{ role: "user" as const, content: "hi" }], tools };
    for (const text of ['{"a":{"b":[1.5,null]}}', "{}"]) {
      await say(text);
      await say(text);
      const whole = await client.messages.create(body);
      const streamed = await client.messages.stream(body).finalMessage();
      for (const { content } of [whole, streamed]) {
        expect(content).toMatchObject([{ type: "tool_use", name: "f", input: JSON.parse(text) as unknown }]);
      }
    }
  });
});
