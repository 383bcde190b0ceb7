import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServedAgents, toolCall } from "../../helpers/served-agents.js";

/** Arguments and responses keep their spelling in Gemini's API, where they are JSON values instead of text. */

let agents: ServedAgents;
beforeAll(async () => {
  agents = await ServedAgents.start({ settings: { chatTemplateType: "concat" }, model: { toolCallParser: "hermes" } });
});
afterAll(() => agents.close());

const LONG = "the quick brown fox jumps over the lazy dog, ".repeat(500);
const VALUES = ['{"id":12345678901234567890}', '{"x":1.0,"y":-0,"z":1E2}', '{"b":1,"2":{"1":0,"0":[1.50]}}'];

const post = async (url: string, payload: string, key: string) =>
  agents.proxy.request({ method: "POST", url, payload, headers: { "content-type": "application/json" } }, key);

const lastPrompt = () => [...(agents.proxy.engine.calls.at(-1)?.prompt.tokens() ?? [])];

const chat = (user: string, text: string) =>
  `{"messages":[{"role":"user","content":"${user}"},{"role":"assistant","content":"","tool_calls":[{"id":"c","type":` +
  `"function","function":{"name":"f","arguments":${JSON.stringify(text)}}}]},` +
  `{"role":"tool","tool_call_id":"c","name":"f","content":${JSON.stringify(text)}}]}`;
const contents = (user: string, text: string, [call, response]: readonly [string, string]) =>
  `{"contents":[{"role":"user","parts":[{"text":"${user}"}]},{"role":"model","parts":[{"${call}":{"id":"c","name":"f",` +
  `"args":${text}}}]},{"role":"user","parts":[{"${response}":{"id":"c","name":"f","response":${text}}}]}]}`;

describe.each(["short", LONG])("arguments and responses in contents", (user) => {
  it.each(VALUES)("give the same prompt as in chat completions: %s", async (text) => {
    const whole = await agents.session();
    expect(await post("/v1/chat/completions", chat(user, text), whole.key)).toMatchObject({ status: 200 });
    const expected = lastPrompt();
    for (const names of [
      ["functionCall", "functionResponse"],
      ["function_call", "function_response"],
    ] as const) {
      const session = await agents.session();
      // The second request begins like the first, so the server may use its memory of the first.
      for (const value of ['{"a":0.0}', text]) {
        const reply = await post("/v1beta/models/m:generateContent", contents(user, value, names), session.key);
        expect(reply.status).toBe(200);
      }
      expect(lastPrompt()).toEqual(expected);
    }
  });
});

describe("a call by the model", () => {
  const tools = '[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT"}}]}]';
  const ask = (rest = "") => `{"tools":${tools},"contents":[{"parts":[{"text":"hi"}]}${rest}]}`;

  it.each(VALUES)("is sent as the model wrote it, and continued token-exactly: %s", async (text) => {
    const session = await agents.session();
    await agents.say(toolCall("f", {}).replace("{}", text));
    const reply = (await post("/v1beta/models/m:generateContent", ask(), session.key)).raw.toString();
    expect(reply).toContain(`"args":${text}}`);
    const [content = ""] = /\{"role":"model","parts":\[.*?\]\}(?=,"index")/.exec(reply) ?? [];
    const { id } = (JSON.parse(content) as { parts: [{ functionCall: { id: string } }] }).parts[0].functionCall;
    const response = JSON.stringify({ parts: [{ functionResponse: { id, name: "f", response: { output: "4" } } }] });
    await agents.say("done");
    const next = await post("/v1beta/models/m:generateContent", ask(`,${content},${response}`), session.key);
    expect(next.status).toBe(200);
    const { interactions } = await agents.recorded(session);
    expect(interactions.map(({ token_exact }) => token_exact)).toEqual([false, true]);
  });
});
