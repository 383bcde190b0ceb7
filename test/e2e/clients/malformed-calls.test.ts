import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServedAgents, toolCall } from "../../helpers/served-agents.js";
import { ADD, Numbers, toParameters } from "./tools.js";

/** Malformed calls: OpenAI's SDK receives the same for them, streamed or not. */

let agents: ServedAgents;
beforeAll(async () => {
  agents = await ServedAgents.start();
});
afterAll(() => agents.close());

const GOOD = toolCall("add", { a: 1, b: 2 });
const BROKEN = GOOD.replace("2}", "two}");
const CUT = GOOD.slice(0, -20);

const OUTPUTS = [
  { of: "arguments that are no JSON", output: `So:\n${BROKEN}`, text: `So:\n${BROKEN}`, calls: 0 },
  { of: "a call that is cut short", output: `So:\n${CUT}`, text: `So:\n${CUT}`, calls: 0 },
  { of: "a good call before a broken one", output: `${GOOD}\n${BROKEN}`, text: BROKEN, calls: 1 },
  { of: "a good call behind a broken one", output: `${BROKEN}\n${GOOD}`, text: BROKEN, calls: 1 },
];

const question = { model: "tiny", messages: [{ role: "user" as const, content: "add" }], tools: [ADD] };
const responseQuestion = {
  model: "tiny",
  input: "add",
  tools: [{ type: "function" as const, name: "add", parameters: toParameters(Numbers), strict: false }],
};

describe.each(OUTPUTS)("$of", ({ output, text, calls }) => {
  it("is text of a chat completion, streamed and not", async () => {
    const { client, session } = await agents.openai();
    await agents.say(output, 1);
    await agents.say(output);
    const streamed = await client.chat.completions.stream(question).finalChatCompletion();
    const whole = await client.chat.completions.create(question);
    for (const { choices } of [streamed, whole]) {
      expect(choices[0]?.finish_reason).toBe(calls > 0 ? "tool_calls" : "stop");
      expect(choices[0]?.message.content).toBe(text);
      const made = choices[0]?.message.tool_calls ?? [];
      expect(made.map((call) => call.type === "function" && call.function.arguments)).toEqual(
        Array.from({ length: calls }, () => '{"a":1,"b":2}'),
      );
    }
    const { exported, logged } = await agents.recorded(session);
    expect(exported).toEqual(logged);
  });

  it("is a message item of a response, streamed and not", async () => {
    const { client } = await agents.openai();
    await agents.say(output, 1);
    await agents.say(output);
    const streamed = await client.responses.stream(responseQuestion).finalResponse();
    const whole = await client.responses.create(responseQuestion);
    for (const { output: items, output_text: said, status } of [streamed, whole]) {
      expect([said, status]).toEqual([text, "completed"]);
      expect(items.filter(({ type }) => type === "function_call")).toHaveLength(calls);
    }
  });
});

describe("a stream", () => {
  it("sends the text before a call while the call is sampled, and the call as a whole", async () => {
    const { client } = await agents.openai();
    await agents.say(`So it is:\n${GOOD}`, 1);
    const stream = await client.chat.completions.create({ ...question, stream: true });
    const deltas: string[] = [];
    for await (const { choices } of stream) {
      const { content, tool_calls: calls } = choices[0]?.delta ?? {};
      if (content) deltas.push("text");
      for (const call of calls ?? []) deltas.push(call.id === undefined ? (call.function?.arguments ?? "") : "call");
    }
    expect(deltas.filter((delta) => delta === "text").length).toBeGreaterThan(1);
    expect(deltas.slice(-2)).toEqual(["call", '{"a":1,"b":2}']);
  });
});
