import OpenAI from "openai";
import { zodFunction } from "openai/helpers/zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServedAgents, toolCall } from "../../helpers/served-agents.js";
import { drain } from "./drain.js";
import { ADD, City, toParameters } from "./tools.js";

/** OpenAI's SDK over sockets: chat completions, its streaming helper and its tool runner. */

let agents: ServedAgents;
beforeAll(async () => {
  agents = await ServedAgents.start();
});
afterAll(() => agents.close());

const weather = (city: string) => `${city}: sunny`;

describe("chat completions", () => {
  it("return reasoning, text and tool calls separately", async () => {
    const { client, session } = await agents.openai();
    await agents.say(`I look it up.\n${toolCall("get_weather", { city: "Paris" })}`);
    const { choices } = await client.chat.completions.create({
      model: "tiny",
      messages: [{ role: "user", content: "weather?" }],
      tools: [{ type: "function", function: { name: "get_weather", parameters: toParameters(City) } }],
    });
    expect(choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: expect.stringContaining("I look it up.") as string,
        tool_calls: [{ type: "function", function: { name: "get_weather", arguments: expect.any(String) as string } }],
      },
    });
    const { exported, logged } = await agents.recorded(session);
    expect(exported).toEqual(logged);
  });

  it("with n have a choice for each of n interactions, streamed or not", async () => {
    const { client, session } = await agents.openai();
    for (const text of ["one", "two", "three", "four"]) await agents.say(text);
    const body = { model: "tiny", n: 2, messages: [{ role: "user" as const, content: "count" }] };
    const whole = await client.chat.completions.create(body);
    const streamed = await client.chat.completions.stream(body).finalChatCompletion();
    const texts = [whole, streamed].map(({ choices }) => choices.map(({ message }) => message.content));
    expect(texts).toEqual([
      ["one", "two"],
      ["three", "four"],
    ]);
    const { interactions, exported, logged } = await agents.recorded(session);
    expect(exported).toEqual(logged);
    const named = [...whole.choices, ...streamed.choices].map((choice) => Object(choice).interaction_id as string);
    expect(named).toEqual(interactions.map((each) => each.interaction_id));
    expect([whole.id, streamed.id]).toEqual([named[0], named[2]]);
  });

  it("can be streamed with the SDK's helper", async () => {
    const { client, session } = await agents.openai("");
    await agents.say(`So:\n${toolCall("add", { a: 1, b: 2 })}\n${toolCall("add", { a: 3, b: 4 })}`, 1);
    const deltas: string[] = [];
    const stream = client.chat.completions
      .stream({
        model: "tiny",
        messages: [{ role: "user", content: "add" }],
        tools: [ADD],
        stream_options: { include_usage: true },
      })
      .on("content.delta", ({ delta }) => deltas.push(delta));
    const completion = await stream.finalChatCompletion();
    const [choice] = completion.choices;
    expect(deltas.join("")).toBe(choice?.message.content);
    expect(deltas.length).toBeGreaterThan(1);
    expect(choice?.finish_reason).toBe("tool_calls");
    expect(choice?.message.tool_calls?.map((call) => JSON.parse(call.function.arguments) as unknown)).toEqual([
      { a: 1, b: 2 },
      { a: 3, b: 4 },
    ]);
    expect(completion.usage?.completion_tokens).toBeGreaterThan(10);
    const { interactions, exported, logged } = await agents.recorded(session);
    expect(exported).toEqual(logged);
    const [only] = interactions;
    expect(only?.interaction_id).toBe(completion.id);
  });

  it.each([false, true])("work with the SDK's tool loop (stream: %s)", async (stream) => {
    const { client, session } = await agents.openai();
    await agents.say(`${toolCall("get_weather", { city: "Paris" })}\n${toolCall("get_weather", { city: "Rome" })}`);
    await agents.say(toolCall("get_weather", { city: "Oslo" }));
    await agents.say("Sunny everywhere.");
    const tool = zodFunction({
      name: "get_weather",
      parameters: City,
      function: ({ city }: { city: string }) => weather(city),
    });
    const body = { model: "tiny", messages: [{ role: "user" as const, content: "weather?" }], tools: [tool] };
    const runner = stream
      ? client.chat.completions.runTools({ ...body, stream: true })
      : client.chat.completions.runTools(body);
    expect(await runner.finalContent()).toBe("Sunny everywhere.");
    const { interactions, exported, logged } = await agents.recorded(session);
    expect(exported).toEqual(logged);
    const [first, second, third] = interactions;
    expect([second?.parent_id, third?.parent_id]).toEqual([first?.interaction_id, second?.interaction_id]);
    expect(third?.messages?.filter((message) => (message as { role: string }).role === "tool")).toMatchObject(
      ["Paris", "Rome", "Oslo"].map((city) => ({ content: JSON.stringify(weather(city)).slice(1, -1) })),
    );
  });
});

describe("errors", () => {
  it("after the start of a stream are thrown by the SDK", async () => {
    const { client } = await agents.openai();
    agents.proxy.engine.replies.push({
      ids: [300, 301, 302],
      perFrame: 1,
      beforeFrame: (frame) => {
        if (frame === 2) throw new Error("broken");
      },
    });
    const stream = await client.chat.completions.create({
      model: "tiny",
      messages: [{ role: "user", content: "x" }],
      stream: true,
    });
    await expect(drain(stream)).rejects.toBeInstanceOf(OpenAI.APIError);
  });
});
