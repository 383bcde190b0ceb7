import OpenAI from "openai";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServedAgents, toolCall } from "../../helpers/served-agents.js";
import { City, toParameters } from "./tools.js";

/** OpenAI's SDK over sockets: responses. */

let agents: ServedAgents;
beforeAll(async () => {
  agents = await ServedAgents.start();
});
afterAll(() => agents.close());

const tools = [
  { type: "function" as const, name: "get_weather", parameters: toParameters(City), strict: true, description: null },
];

describe("responses", () => {
  it("can be streamed with the SDK's helper, and retrieved afterwards", async () => {
    const { client, session } = await agents.openai();
    await agents.say(`So:\n${toolCall("get_weather", { city: "Paris" })}`, 1);
    let text = "";
    const stream = client.responses
      .stream({ model: "tiny", input: "weather?", tools })
      .on("response.output_text.delta", ({ delta }) => {
        text += delta;
      });
    const response = await stream.finalResponse();
    expect(response.output.map(({ type }) => type)).toEqual(["message", "function_call"]);
    expect(text).toBe(response.output_text);
    const retrieved = await client.responses.retrieve(response.id);
    expect(retrieved.output).toMatchObject(
      JSON.parse(
        JSON.stringify(response.output, (key, value: unknown) => (key.startsWith("parsed") ? undefined : value)),
      ) as object,
    );
    const { interactions, exported, logged } = await agents.recorded(session);
    expect(exported).toEqual(logged);
    const [only] = interactions;
    expect(only?.interaction_id).toBe(response.id);
  });

  it("work with a tool loop that sends all items back", async () => {
    const { client, session } = await agents.openai();
    await agents.say(
      `I see.\n${toolCall("get_weather", { city: "Paris" })}\n${toolCall("get_weather", { city: "Rome" })}`,
    );
    await agents.say("Sunny.");
    const input: ResponseInputItem[] = [{ role: "user", content: "weather?" }];
    let response = await client.responses.create({ model: "tiny", input, tools });
    const calls = response.output.filter((item) => item.type === "function_call");
    expect(calls).toHaveLength(2);
    input.push(...(response.output as ResponseInputItem[]));
    for (const call of calls) {
      input.push({ type: "function_call_output", call_id: call.call_id, output: "sunny" });
    }
    response = await client.responses.create({ model: "tiny", input, tools });
    expect(response.output_text).toBe("Sunny.");
    const { interactions, exported, logged } = await agents.recorded(session);
    expect(exported).toEqual(logged);
    const [first, second] = interactions;
    expect(second?.parent_id).toBe(first?.interaction_id);
  });

  it("work with a tool loop over previous_response_id", async () => {
    const { client, session } = await agents.openai();
    await agents.say(toolCall("get_weather", { city: "Paris" }));
    await agents.say("Sunny.");
    const first = await client.responses.create({ model: "tiny", instructions: "be brief", input: "weather?", tools });
    const [call] = first.output;
    if (call?.type !== "function_call") throw new Error("no call");
    const second = await client.responses.create({
      model: "tiny",
      instructions: "be brief",
      previous_response_id: first.id,
      input: [{ type: "function_call_output", call_id: call.call_id, output: "sunny" }],
      tools,
    });
    expect(second.output_text).toBe("Sunny.");
    const { interactions, exported, logged } = await agents.recorded(session);
    expect(exported).toEqual(logged);
    const [, child] = interactions;
    expect(child?.parent_id).toBe(first.id);
  });

  it("throw if they fail in their stream", async () => {
    const { client } = await agents.openai();
    agents.proxy.engine.replies.push({
      ids: [300, 301, 302],
      perFrame: 1,
      beforeFrame: (frame) => {
        if (frame === 2) throw new Error("broken");
      },
    });
    await expect(client.responses.stream({ model: "tiny", input: "x" }).finalResponse()).rejects.toBeInstanceOf(
      OpenAI.APIError,
    );
  });
});
