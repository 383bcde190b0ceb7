import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Agent,
  type AgentContext,
  type ConnectedProxy,
  connectProxy,
  parseConfig,
  type RunningServer,
  resolveWorkflow,
  startServer,
} from "../../src/index.js";
import { converse, openAi } from "../helpers/agents.js";
import { readSafetensors } from "../helpers/safetensors.js";

/** Agents with the official SDKs run in episodes. They call a running server with the embedded engine. */

const adminKey = "sk-admin-0123456789abcdef";
let server: RunningServer;
let proxy: ConnectedProxy;

beforeAll(async () => {
  const config = parseConfig({
    server: { port: 0, shutdown_seconds: 1 },
    rollout: { agent: { chat_template_type: "concat" } },
  });
  server = await startServer(config, { adminKey, logger: pino({ level: "silent" }) });
  proxy = connectProxy({ url: server.url, adminKey });
});
afterAll(async () => {
  await proxy.close();
  await server.close();
});

const openAiAgent: Agent<string> = {
  run: async (topic, context) => (await converse(context, topic, 3, { max_tokens: 6, seed: 1 })).length,
};

const responsesAgent: Agent<string> = {
  async run(topic, context) {
    const { responses } = openAi(context);
    const first = await responses.create({ model: "tiny", input: topic, max_output_tokens: 6 });
    const second = await responses.create({
      model: "tiny",
      previous_response_id: first.id,
      input: "go on",
      max_output_tokens: 6,
    });
    return new Map([
      [first.id, 0.25],
      [second.id, 0.5],
    ]);
  },
};

const anthropicAgent: Agent<string> = {
  async run(topic, { base_url, api_key, http_client }: AgentContext) {
    const client = new Anthropic({
      baseURL: base_url,
      apiKey: api_key,
      authToken: null,
      fetch: http_client,
      maxRetries: 0,
    });
    const user = { role: "user" as const, content: topic };
    const first = await client.messages.create({ model: "tiny", max_tokens: 6, messages: [user] });
    const stream = client.messages.stream({
      model: "tiny",
      max_tokens: 6,
      messages: [user, { role: "assistant", content: first.content }, user],
    });
    return { [first.id]: 1, [(await stream.finalMessage()).id]: 2 };
  },
};

const googleAgent: Agent<string> = {
  async run(topic, { base_url, api_key, http_client }: AgentContext) {
    const httpOptions = { baseUrl: base_url, fetch: http_client };
    const chat = new GoogleGenAI({ apiKey: api_key, httpOptions }).chats.create({
      model: "tiny",
      config: { maxOutputTokens: 6, seed: 1 },
    });
    const first = await chat.sendMessage({ message: topic });
    let id = "";
    for await (const chunk of await chat.sendMessageStream({ message: "And then?" })) id = chunk.responseId ?? "";
    return { [first.responseId ?? ""]: 1, [id]: 2 };
  },
};

describe("an episode of an agent that uses", () => {
  it.each([
    ["OpenAI's chat completions", openAiAgent, "chat.completions", [undefined, undefined, 3]],
    ["OpenAI's responses", responsesAgent, "responses", [0.25, 0.5]],
    ["Anthropic's messages, streamed too", anthropicAgent, "messages", [1, 2]],
    ["a chat of Google's SDK, streamed too", googleAgent, "generate_content", [1, 2]],
  ])("%s records its calls with the rewards that it returns", async (_, agent, api, rewards) => {
    const workflow = await resolveWorkflow(agent);
    const { accepted, rejected } = await workflow.arunEpisode(proxy, "Tell me of rain.");
    expect(rejected).toEqual([]);
    const interactions = [...(accepted[0]?.interactions?.values() ?? [])];
    expect(interactions.map(({ ownReward }) => ownReward)).toEqual(rewards);
    expect(new Set(interactions.map((each) => each.api))).toEqual(new Set([api]));
    expect(interactions.slice(1).map(({ tokenExact }) => tokenExact)).toEqual(rewards.slice(1).map(() => true));
    for (const interaction of interactions) {
      const { loss_mask, logprobs } = interaction.toTensorDict();
      const sampled = [...loss_mask.data].reduce((sum, each) => sum + each, 0);
      expect(sampled).toBeGreaterThan(0);
      expect(Math.max(...logprobs.data)).toBeLessThanOrEqual(0);
    }
  });

  it("all four APIs in concurrent groups is exported in one batch", async () => {
    const agents = [openAiAgent, responsesAgent, anthropicAgent, googleAgent];
    const results = await Promise.all(
      agents.map(async (agent) => {
        const workflow = await resolveWorkflow(agent, { groupSize: 3 });
        return workflow.arunEpisode(proxy, "Tell me of snow.", { export: "deferred" });
      }),
    );
    const episodes = results.flatMap(({ accepted }) => accepted);
    expect(episodes).toHaveLength(12);
    expect(new Set(episodes.map(({ groupId }) => groupId)).size).toBe(4);
    const batch = await proxy.admin.exportBatch(
      episodes.map(({ sessionId }) => sessionId),
      { style: "concat" },
    );
    const { tensors, metadata } = readSafetensors(batch);
    expect(JSON.parse(metadata["rows"] ?? "[]")).toHaveLength(12);
    expect(tensors["rewards"]?.data).toEqual([3, 3, 3, 0.5, 0.5, 0.5, 2, 2, 2, 2, 2, 2]);
  });
});
