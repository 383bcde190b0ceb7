import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs, streamText, tool } from "ai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServedAgents, toolCall } from "../../helpers/served-agents.js";
import { Numbers } from "./tools.js";

/** An agent framework that calls tools in a loop: Vercel's AI SDK, over chat completions and over responses. */

let agents: ServedAgents;
beforeAll(async () => {
  agents = await ServedAgents.start();
});
afterAll(() => agents.close());

const tools = {
  add: tool({ description: "adds", inputSchema: Numbers, execute: async ({ a, b }) => a + b }),
};

async function open(api: "chat" | "responses") {
  const session = await agents.session();
  const provider = createOpenAI({ baseURL: `${agents.url}/v1`, apiKey: session.key });
  const model = api === "chat" ? provider.chat("tiny") : provider.responses("tiny");
  await agents.say(`Step by step.\n${toolCall("add", { a: 1, b: 2 })}`);
  await agents.say(toolCall("add", { a: 3, b: 3 }), 1);
  await agents.say("The sum is 6.");
  return { session, agent: { model, tools, prompt: "1+2+3?", stopWhen: stepCountIs(5), maxRetries: 0 } };
}

describe.each(["chat", "responses"] as const)("an agent of the AI SDK over %s", (api) => {
  it("calls tools until it is done, and each turn continues the previous one", async () => {
    const { session, agent } = await open(api);
    const { text, steps } = await generateText(agent);
    expect(text).toBe("The sum is 6.");
    expect(steps.flatMap((step) => step.toolResults.map((result) => result.output))).toEqual([3, 6]);
    const { interactions, exported, logged } = await agents.recorded(session);
    expect(exported).toEqual(logged);
    const [first, second, third] = interactions;
    expect([second?.parent_id, third?.parent_id]).toEqual([first?.interaction_id, second?.interaction_id]);
  });

  it("does the same over streams", async () => {
    const { session, agent } = await open(api);
    const result = streamText(agent);
    expect(await result.text).toBe("The sum is 6.");
    expect((await result.steps).flatMap((step) => step.toolCalls.map((call) => call.input))).toEqual([
      { a: 1, b: 2 },
      { a: 3, b: 3 },
    ]);
    const { interactions, exported, logged } = await agents.recorded(session);
    expect(exported).toEqual(logged);
    const [first, second, third] = interactions;
    expect([second?.parent_id, third?.parent_id]).toEqual([first?.interaction_id, second?.interaction_id]);
  });
});
