import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Proxy, type StartedSession } from "../helpers/proxy.js";

let proxy: Proxy;
let session: StartedSession;
beforeAll(async () => {
  proxy = await Proxy.start();
  session = await proxy.session();
});
afterAll(() => proxy.close());

const USER = { role: "user", content: "hello" };
const PARAMETERS = { type: "object", properties: { city: { type: "string", default: null } } };
const CALL = { id: "c1", type: "function", function: { name: "weather", arguments: "{}" } };

/** Sends a request and returns its prompt as text. */
async function sendAndReadPrompt(url: string, body: object): Promise<string> {
  const reply = await proxy.post(url, body, session.key);
  expect(reply.refusal).toBe("200");
  const ids = proxy.engine.calls.at(-1)?.prompt.tokens() ?? new Int32Array();
  return proxy.context.model.decode(ids, { skipSpecialTokens: false });
}

describe("null in a request counts as absent", () => {
  const chat = (body: object) => sendAndReadPrompt("/v1/chat/completions", { messages: [USER], ...body });
  const tool = (extra: object) => chat({ tools: [{ type: "function", function: { name: "weather", ...extra } }] });

  it("in a tool's function", async () => {
    expect(await tool({ description: null, strict: null, parameters: PARAMETERS })).toBe(
      await tool({ parameters: PARAMETERS }),
    );
    expect(await tool({ parameters: null })).toBe(await tool({}));
  });

  it("but not in a tool's JSON Schema, where it is a value", async () => {
    expect(await tool({ parameters: PARAMETERS })).toContain("null");
  });

  it("in a message and its calls", async () => {
    const turns = (call: object, result: object) =>
      chat({
        messages: [USER, { role: "assistant", tool_calls: [call] }, { role: "tool", tool_call_id: "c1", ...result }],
      });
    expect(await turns({ ...CALL, type: null }, { content: null, name: null })).toBe(
      await turns(CALL, { content: "" }),
    );
    expect(await turns(CALL, {})).toBe(await turns(CALL, { content: "" }));
  });

  it("in the variables of the chat template", async () => {
    expect(await chat({ chat_template_kwargs: { enable_thinking: null } })).toBe(await chat({}));
  });

  it("in the input of a response", async () => {
    const response = (output: object) =>
      sendAndReadPrompt("/v1/responses", {
        input: [
          USER,
          { type: "function_call", call_id: "c1", name: "weather", arguments: "{}" },
          { type: "function_call_output", call_id: "c1", ...output },
        ],
      });
    expect(await response({ output: null })).toBe(await response({ output: "" }));
  });

  it("in a tool of messages", async () => {
    const messages = (extra: object) =>
      sendAndReadPrompt("/v1/messages", {
        messages: [USER],
        max_tokens: 8,
        tools: [{ name: "weather", input_schema: { type: "object" }, ...extra }],
      });
    expect(await messages({ description: null, type: null, strict: null })).toBe(await messages({}));
  });

  it("but not as the content of a user's message, which is required", async () => {
    const reply = await proxy.post(
      "/v1/chat/completions",
      { messages: [{ role: "user", content: null }] },
      session.key,
    );
    expect([reply.refusal, reply.error.param]).toEqual(["400 invalid_value", "messages[0].content"]);
  });
});
