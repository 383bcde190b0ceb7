import {
  ApiError,
  type Content,
  type FunctionCall,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
} from "@google/genai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WireInteraction } from "../../helpers/export-json.js";
import { ServedAgents, toolCall } from "../../helpers/served-agents.js";
import { drain } from "./drain.js";
import { City, toParameters } from "./tools.js";

/** Google's SDK over sockets: generateContent, its streams, and its chats, which send their history with each turn. */

const tools = [{ functionDeclarations: [{ name: "get_weather", parametersJsonSchema: toParameters(City) }] }];
const THOUGHT = "One and two.";
const think = (text: string) => `<think>\n${THOUGHT}\n</think>\n\n${text}`;
const call = (city: string) => toolCall("get_weather", { city });

const partsOf = (reply: GenerateContentResponse): Part[] => reply.candidates?.[0]?.content?.parts ?? [];
const callsOf = (parts: readonly Part[]) => parts.flatMap(({ functionCall }) => functionCall ?? []);

/** Returns what a client sends back for each call. */
const answer = (parts: readonly Part[]): Part[] =>
  callsOf(parts).map(({ id = "", name = "", args }) => ({
    functionResponse: { id, name, response: { output: `${String(args?.["city"])}: sunny` } },
  }));

/** Returns the reasoning of the answers that a call was shown. */
function shownReasoning(interaction: WireInteraction | undefined): unknown[] {
  const messages = (interaction?.messages ?? []) as unknown as { role: string; reasoning_content?: string }[];
  return messages.filter(({ role }) => role === "assistant").map(({ reasoning_content: text }) => text);
}

describe.each([
  ["hf", [false, false, false]],
  ["concat", [false, true, true]],
] as const)("with chat_template_type: %s", (chatTemplateType, exact) => {
  let agents: ServedAgents;
  beforeAll(async () => {
    const settings = { chatTemplateType, keepAliveSeconds: 0.05 };
    agents = await ServedAgents.start({ model: { reasoningParser: "qwen3" }, settings });
  });
  afterAll(() => agents.close());

  async function open() {
    const session = await agents.session();
    return { session, client: new GoogleGenAI({ apiKey: session.key, httpOptions: { baseUrl: agents.url } }) };
  }

  async function startChat(isStreamed: boolean, includeThoughts: boolean) {
    const { client, session } = await open();
    const chat = client.chats.create({ model: "tiny", config: { tools, thinkingConfig: { includeThoughts } } });
    const send = async (message: string | Part[]) => {
      const request = { message };
      const replies = isStreamed
        ? await drain(await chat.sendMessageStream(request))
        : [await chat.sendMessage(request)];
      return replies.flatMap(partsOf);
    };
    return { client, session, send, chat };
  }

  it.each([
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ])(
    "a chat with tools and thoughts continues the recorded tokens (streamed: %s, thoughts: %s)",
    async (isStreamed, includeThoughts) => {
      const { session, send } = await startChat(isStreamed, includeThoughts);
      await agents.say(think(`Both.\n${call("Paris")}\n${call("Rome")}`), 1);
      await agents.say(think("Sunny."), 1);
      await agents.say("Yes.", 1);
      const asked = await send("weather?");
      expect(callsOf(asked).map(({ args }) => args)).toEqual([{ city: "Paris" }, { city: "Rome" }]);
      const thoughts = asked.filter((part) => part.thought).map((part) => part.text);
      expect(thoughts.join("")).toBe(includeThoughts ? THOUGHT : "");
      await send(answer(asked));
      await send("sure?");
      const { interactions, exported, logged } = await agents.recorded(session);
      expect(exported).toEqual(logged);
      const ids = interactions.map(({ interaction_id }) => interaction_id);
      expect(interactions.map(({ parent_id }) => parent_id)).toEqual([null, ...ids.slice(0, 2)]);
      expect(interactions.map(({ token_exact }) => token_exact)).toEqual(exact);
      expect(shownReasoning(interactions.at(-1))).toEqual([THOUGHT, THOUGHT]);
    },
  );

  it.each([true, false])(
    "a client that sends back no thought texts and no ids keeps reasoning and parents (streamed: %s)",
    async (isStreamed) => {
      const { client, session } = await open();
      const config = { tools, thinkingConfig: { includeThoughts: true } };
      const contents: Content[] = [];
      const send = async (parts: Part[]) => {
        contents.push({ role: "user", parts });
        const request = { model: "tiny", contents, config };
        const replies = isStreamed
          ? await drain(await client.models.generateContentStream(request))
          : [await client.models.generateContent(request)];
        const kept = replies.flatMap(partsOf).filter((part) => part.thought !== true);
        contents.push({ role: "model", parts: kept.map(withoutId) });
        return kept;
      };
      await agents.say(think(`Both.\n${call("Paris")}\n${call("Rome")}`), 1);
      await agents.say(think("Sunny."), 1);
      await agents.say("Yes.");
      const asked = await send([{ text: "weather?" }]);
      await send(answer(asked).map(withoutId));
      await send([{ text: "sure?" }]);
      const { interactions, exported, logged } = await agents.recorded(session);
      expect(exported).toEqual(logged);
      const ids = interactions.map(({ interaction_id }) => interaction_id);
      expect(interactions.map(({ parent_id }) => parent_id)).toEqual([null, ...ids.slice(0, 2)]);
      expect(interactions.map(({ token_exact }) => token_exact)).toEqual(exact);
      expect(shownReasoning(interactions.at(-1))).toEqual([THOUGHT, THOUGHT]);
    },
  );
});

describe("the SDK", () => {
  let agents: ServedAgents;
  beforeAll(async () => {
    agents = await ServedAgents.start();
  });
  afterAll(() => agents.close());

  async function open(key?: string) {
    const session = await agents.session();
    const options = { apiKey: key ?? session.key, httpOptions: { baseUrl: agents.url } };
    return { session, client: new GoogleGenAI(options) };
  }

  it("returns several candidates, and the ids of their interactions in a header", async () => {
    const { client, session } = await open();
    for (const text of ["one", "two"]) await agents.say(text);
    const reply = await client.models.generateContent({
      model: "tiny",
      contents: "count",
      config: { candidateCount: 2 },
    });
    const texts = reply.candidates?.map(({ content }) => content?.parts?.map(({ text }) => text).join(""));
    expect(texts).toEqual(["one", "two"]);
    const { interactions, exported, logged } = await agents.recorded(session);
    expect(exported).toEqual(logged);
    const ids = interactions.map(({ interaction_id }) => interaction_id);
    expect(reply.sdkHttpResponse?.headers?.["x-rolltape-interactions"]).toBe(ids.join(", "));
    expect(reply.responseId).toBe(ids[0]);
  });

  it("lists and describes the served model", async () => {
    const { client } = await open();
    const names = (await drain(await client.models.list())).map(({ name }) => name);
    expect(names).toEqual(["models/tiny"]);
    expect(await client.models.get({ model: "any/other" })).toMatchObject({ name: "models/tiny", maxTemperature: 2 });
  });

  it("counts the tokens that the same prompt has", async () => {
    const { client } = await open();
    const request = { model: "org/tiny", contents: "weather?" };
    const { totalTokens } = await client.models.countTokens(request);
    await agents.say("Yes.");
    const { usageMetadata, responseId, modelVersion } = await client.models.generateContent(request);
    expect(usageMetadata?.promptTokenCount).toBe(totalTokens);
    expect(usageMetadata?.totalTokenCount).toBe((totalTokens ?? 0) + (usageMetadata?.candidatesTokenCount ?? 0));
    expect([responseId?.startsWith("gen_"), modelVersion]).toEqual([true, "tiny"]);
  });

  it("calls the function that it is given, and answers with the result", async () => {
    const { client, session } = await open();
    await agents.say(call("Paris"));
    await agents.say("Sunny.");
    const callable = {
      tool: async () => Promise.resolve(tools[0] ?? {}),
      callTool: async (calls: FunctionCall[]) =>
        Promise.resolve(answer(calls.map((functionCall) => ({ functionCall })))),
    };
    const reply = await client.models.generateContent({
      model: "tiny",
      contents: "weather?",
      config: { tools: [callable] },
    });
    expect(reply.text).toBe("Sunny.");
    const { interactions, exported, logged } = await agents.recorded(session);
    expect(exported).toEqual(logged);
    expect(interactions[1]?.parent_id).toBe(interactions[0]?.interaction_id);
  });

  it("reads a stream whose text and arguments have line ends", async () => {
    const { client } = await open();
    const city = "Paris\u2028\u2029\u0085";
    await agents.say(
      `${city}\n<tool_call>\n{"name": "get_weather", "arguments": {\n\n"city":\r\n\r\n"${city}"}}\n</tool_call>`,
      1,
    );
    const request = { model: "tiny", contents: "weather?", config: { tools } };
    const parts = (await drain(await client.models.generateContentStream(request))).flatMap(partsOf);
    expect(parts.map(({ text = "" }) => text).join("")).toContain(city);
    expect(callsOf(parts).map(({ args }) => args)).toEqual([{ city }]);
  });

  it.each([
    ["an unknown key", "sk-unknown", {}, 401],
    ["a wrong value", undefined, { temperature: 3 }, 400],
    ["a field that would change the answer", undefined, { cachedContent: "cachedContents/x" }, 400],
  ])("throws its own error for %s", async (_, key, config, status) => {
    const { client } = await open(key);
    const refused = client.models.generateContent({ model: "tiny", contents: "hello", config });
    await expect(refused).rejects.toBeInstanceOf(ApiError);
    await expect(refused).rejects.toMatchObject({ status });
  });

  it("throws its own error for a failure in the middle of a stream", async () => {
    const { client } = await open();
    agents.proxy.engine.replies.push({
      ids: [300, 301, 302],
      perFrame: 1,
      beforeFrame: (frame) => {
        if (frame === 2) throw new Error("broken");
      },
    });
    const stream = await client.models.generateContentStream({ model: "tiny", contents: "hello" });
    await expect(drain(stream)).rejects.toMatchObject({ name: "ApiError", status: 500 });
  });
});

/** Leaves out the ids of calls and responses, which are optional in Gemini's API. */
function withoutId({ functionCall, functionResponse, ...part }: Part): Part {
  const { id: _, ...call } = functionCall ?? {};
  const { id: __, ...response } = functionResponse ?? {};
  return {
    ...part,
    ...(functionCall ? { functionCall: call } : {}),
    ...(functionResponse ? { functionResponse: response } : {}),
  };
}
