import Anthropic from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServedAgents, toolCall } from "../../helpers/served-agents.js";
import { drain } from "./drain.js";
import { City } from "./tools.js";

/** Anthropic's SDK over sockets: messages, its streaming helper and its tool runner. */

let agents: ServedAgents;
beforeAll(async () => {
  agents = await ServedAgents.start({ settings: { keepAliveSeconds: 0.05 } });
});
afterAll(() => agents.close());

async function open({ base = "", fetch }: { base?: string; fetch?: typeof globalThis.fetch } = {}) {
  const session = await agents.session();
  const options = { baseURL: agents.url + base, apiKey: session.key, authToken: null, maxRetries: 0 };
  const client = new Anthropic({ ...options, ...(fetch ? { fetch } : {}) });
  return { session, client };
}

/** Returns a fetch that calls `seen` when a body contains the text. It is needed because the SDK does not report pings. */
function fetchThatSees(text: string, seen: () => void): typeof globalThis.fetch {
  return async (...request) => {
    const reply = await fetch(...request);
    let received = "";
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        received += Buffer.from(bytes).toString("latin1");
        if (received.includes(text)) seen();
        controller.enqueue(bytes);
      },
    });
    return new Response(reply.body?.pipeThrough(watch) ?? null, reply);
  };
}

const question = { model: "tiny", max_tokens: 256, messages: [{ role: "user" as const, content: "weather?" }] };
const tools = [
  { name: "get_weather", input_schema: { type: "object" as const, properties: { city: { type: "string" } } } },
];

describe("messages", () => {
  it("can be streamed with the SDK's helper, including pings", async () => {
    const { client, session } = await open({ fetch: fetchThatSees("event: ping", () => release()) });
    await agents.say(`I look.\n${toolCall("get_weather", { city: "Paris" })}`, 1);
    const release = agents.proxy.engine.hold();
    let text = "";
    const stream = client.messages.stream({ ...question, tools }).on("text", (delta) => {
      text += delta;
    });
    const message = await stream.finalMessage();
    expect(message.stop_reason).toBe("tool_use");
    expect(message.content).toMatchObject([
      { type: "text", text },
      { type: "tool_use", name: "get_weather", input: { city: "Paris" } },
    ]);
    expect(message.usage.output_tokens).toBeGreaterThan(5);
    const { interactions, exported, logged } = await agents.recorded(session);
    expect(exported).toEqual(logged);
    const [only] = interactions;
    expect(only?.interaction_id).toBe(message.id);
  });

  it.each([
    ["no JSON", toolCall("get_weather", {}).replace("{}", "{Paris}")],
    ["cut short", toolCall("get_weather", { city: "Paris" }).slice(0, -20)],
  ])(
    "a call whose arguments are %s is text in a stream, too, which the SDK's helper reads to its end",
    async (_, text) => {
      const { client, session } = await open();
      await agents.say(`I look.\n${text}`, 1);
      const message = await client.messages.stream({ ...question, tools }).finalMessage();
      expect(message.stop_reason).toBe("end_turn");
      expect(message.content).toMatchObject([{ type: "text", text: `I look.\n${text}` }]);
      const { exported, logged } = await agents.recorded(session);
      expect(exported).toEqual(logged);
    },
  );

  it.each([
    [false, ""],
    [true, "/v1"],
  ])("work with the SDK's tool loop (stream: %s)", async (stream, base) => {
    const { client, session } = await open({ base });
    await agents.say(
      `Both.\n${toolCall("get_weather", { city: "Paris" })}\n${toolCall("get_weather", { city: "Rome" })}`,
    );
    await agents.say("Sunny everywhere.");
    const tool = betaZodTool({
      name: "get_weather",
      description: "The weather",
      inputSchema: City,
      run: ({ city }) => `${city}: sunny`,
    });
    const runner = client.beta.messages.toolRunner({ ...question, tools: [tool], stream });
    for await (const turn of runner) {
      if (Symbol.asyncIterator in turn) await drain(turn);
    }
    const final = await runner.runUntilDone();
    expect(final.content).toMatchObject([{ type: "text", text: "Sunny everywhere." }]);
    const { interactions, exported, logged } = await agents.recorded(session);
    expect(exported).toEqual(logged);
    const [first, second] = interactions;
    expect(second?.parent_id).toBe(first?.interaction_id);
  });

  it("continue an answer that the request begins, and the next turn has it as one message", async () => {
    const { client, session } = await open();
    await agents.say(' "Rome"}', 1);
    await agents.say("Yes.");
    const begun = { role: "assistant" as const, content: '{"city":' };
    const asked = [...question.messages, begun];
    const message = await client.messages.stream({ ...question, messages: asked }).finalMessage();
    expect(message.content).toMatchObject([{ type: "text", text: ' "Rome"}' }]);
    const whole = { ...begun, content: '{"city": "Rome"}' };
    const messages = [...question.messages, whole, { role: "user" as const, content: "sure?" }];
    await client.messages.create({ ...question, messages });
    const { interactions, exported, logged } = await agents.recorded(session);
    expect(exported).toEqual(logged);
    const [first, second] = interactions;
    expect([second?.parent_id, second?.token_exact]).toEqual([first?.interaction_id, true]);
  });

  it("can be counted in tokens before they are sent", async () => {
    const { client } = await open();
    const { input_tokens } = await client.messages.countTokens({ model: "tiny", messages: question.messages });
    await agents.say("Yes.");
    const message = await client.messages.create(question);
    expect(message.usage.input_tokens).toBe(input_tokens);
  });
});

describe("errors", () => {
  it("are typed, and carry the request's id", async () => {
    const { client } = await open();
    const refused = client.messages.create({ ...question, stop_sequences: [""] });
    await expect(refused).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    await expect(refused).rejects.toMatchObject({
      requestID: expect.any(String) as string,
      type: "invalid_request_error",
    });
  });

  it("after the start of a stream are thrown by the SDK", async () => {
    const { client } = await open();
    agents.proxy.engine.replies.push({
      ids: [300, 301, 302],
      perFrame: 1,
      beforeFrame: (frame) => {
        if (frame === 2) throw new Error("broken");
      },
    });
    await expect(client.messages.stream(question).finalMessage()).rejects.toBeInstanceOf(Anthropic.APIError);
  });
});
