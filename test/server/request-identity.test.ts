import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Proxy, type Reply, type StartedSession } from "../helpers/proxy.js";
import { GrammarEngine } from "../helpers/scripted-engine.js";
import { until } from "../helpers/until.js";

/** A retry repeats a request only if it asks for exactly the same. */

let proxy: Proxy<GrammarEngine>;
let session: StartedSession;
beforeAll(async () => {
  proxy = await Proxy.start({ engine: new GrammarEngine(), model: { toolCallParser: "hermes" } });
});
afterAll(() => proxy.close());
beforeEach(async () => {
  session = await proxy.session();
});

interface Request {
  readonly url?: string;
  readonly body: object;
}

const user = (content: string) => ({ role: "user", content });
const tool = (strict: boolean) => ({
  type: "function",
  function: { name: "look", parameters: { type: "object", properties: {} }, strict },
});

const messages = [user("a")];
const tools = [tool(false)];
const prefilled = (content: string): Request => ({
  body: { messages: [...messages, { role: "assistant", content }], continue_final_message: true },
});

const send = ({ url = "/v1/chat/completions", body }: Request, retryCount: number): Promise<Reply> => {
  const headers = { "x-stainless-retry-count": String(retryCount), "idempotency-key": "the same" };
  return proxy.request({ method: "POST", url, payload: { model: "tiny", ...body }, headers }, session.key);
};

/** Sends `first` and, while the engine has it, `second` as its retry. Returns the answer to `first`. */
async function repeat(first: Request, second: Request): Promise<Reply> {
  const before = proxy.engine.calls.length;
  const release = proxy.engine.hold();
  const waiting = send(first, 0);
  await until(() => proxy.engine.calls.length === before + 1);
  proxy.engine.pass();
  expect((await send(second, 1)).refusal).toBe("200");
  release();
  return waiting;
}

const chat = (extra: object): Request => ({ body: { messages, ...extra } });
const responses: Request = { url: "/v1/responses", body: { input: "a" } };

describe("a retry", () => {
  it.each<[string, Request]>([
    ["chat completion", chat({})],
    ["continued answer", prefilled("So")],
    ["response", responses],
  ])("aborts the call in flight that asks for the same %s", async (_, request) => {
    expect((await repeat(request, request)).refusal).toBe("409 call_superseded");
  });

  it("aborts the call in flight that asks for the same and is not streamed, if it is itself", async () => {
    expect((await repeat(chat({}), chat({ stream: true }))).refusal).toBe("409 call_superseded");
  });

  it.each<[string, Request, Request]>([
    ["its prefill", prefilled("So"), prefilled("Well")],
    ["having a prefill", prefilled("So"), chat({})],
    ["its last message", chat({}), chat({ messages: [user("b")] })],
    ["its first message", chat({}), chat({ messages: [user("b"), ...messages] })],
    ["its model", chat({}), chat({ model: "other" })],
    ["its temperature", chat({}), chat({ temperature: 0.5 })],
    ["its maximum of tokens", chat({}), chat({ max_tokens: 7 })],
    ["its seed", chat({ seed: 1 }), chat({ seed: 2 })],
    ["its log probabilities", chat({}), chat({ logprobs: true })],
    ["its structured output", chat({}), chat({ response_format: { type: "json_object" } })],
    ["its template variables", chat({}), chat({ chat_template_kwargs: { enable_thinking: true } })],
    ["its tools", chat({}), chat({ tools })],
    ["having to make a call", chat({ tools }), chat({ tools, tool_choice: "required" })],
    ["its number of calls", chat({ tools }), chat({ tools, parallel_tool_calls: false })],
    ["the strictness of a tool", chat({ tools }), chat({ tools: [tool(true)] })],
    ["its API", chat({}), responses],
  ])("does not abort a call in flight that differs in %s", async (_, first, second) => {
    expect((await repeat(first, second)).refusal).toBe("200");
  });

  it("does not abort a call in flight that continues another response", async () => {
    const answer = async () => (await send(responses, 0)).json<{ id: string }>().id;
    const [one, other] = [await answer(), await answer()];
    const from = (id: string): Request => ({ ...responses, body: { input: "b", previous_response_id: id } });
    expect((await repeat(from(one), from(one))).refusal).toBe("409 call_superseded");
    expect((await repeat(from(one), from(other))).refusal).toBe("200");
  });
});
