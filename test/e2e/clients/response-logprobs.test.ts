import type { Response } from "openai/resources/responses/responses";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServedAgents, toolCall } from "../../helpers/served-agents.js";
import { Numbers, toParameters } from "./tools.js";

/** Log probabilities of a response's texts, read with OpenAI's SDK, streamed and not. */

let agents: ServedAgents;
beforeAll(async () => {
  agents = await ServedAgents.start({ model: { reasoningParser: "qwen3" } });
});
afterAll(() => agents.close());

const SAID = `<think>\nOne and two.\n</think>\n\nI add it.\n${toolCall("add", { a: 1, b: 2 })}\nSo it is.`;
const question = {
  model: "tiny",
  input: "1+2?",
  include: ["message.output_text.logprobs" as const],
  top_logprobs: 2,
  tools: [{ type: "function" as const, name: "add", parameters: toParameters(Numbers), strict: false }],
};

const listTexts = ({ output }: Response) =>
  output.flatMap((item) => (item.type === "message" ? item.content : [])).filter((part) => part.type === "output_text");

describe("log probabilities of a response", () => {
  it("are the recorded ones of the text's tokens, streamed and not", async () => {
    const { client, session } = await agents.openai();
    await agents.say(SAID, 1);
    await agents.say(SAID);
    const deltas: { token: string; logprob: number }[][] = [];
    const stream = client.responses.stream(question).on("response.output_text.delta", (event) => {
      deltas.push((event as unknown as { logprobs: { token: string; logprob: number }[] }).logprobs);
    });
    const streamed = await stream.finalResponse();
    const whole = await client.responses.create(question);
    const retrieved = await client.responses.retrieve(whole.id);
    expect(agents.proxy.engine.calls[0]?.sampling.topLogprobs).toBe(2);
    const { exported } = await agents.recorded(session);
    const recorded = (exported[0]?.logprobs ?? []).filter((_, i) => exported[0]?.mask[i] === 1);
    for (const response of [streamed, whole, retrieved]) {
      const texts = listTexts(response);
      expect(texts.map(({ text }) => text)).toEqual(["I add it.", "\nSo it is."]);
      for (const { text, logprobs = [] } of texts) {
        expect(logprobs.map(({ token }) => token).join("")).toContain(text.trim());
        const first = recorded.indexOf(logprobs[0]?.logprob ?? 0);
        expect(first).toBeGreaterThan(0);
        expect(logprobs.map(({ logprob }) => logprob)).toEqual(recorded.slice(first, first + logprobs.length));
      }
    }
    const told = deltas.flat().map(({ token, logprob }) => [token, logprob]);
    const final = listTexts(streamed).flatMap(({ logprobs = [] }) =>
      logprobs.map(({ token, logprob }) => [token, logprob]),
    );
    expect(told).toEqual(final);
  });

  it("are absent if they are not requested", async () => {
    const { client } = await agents.openai();
    await agents.say("So it is.");
    const response = await client.responses.create({ model: "tiny", input: "x" });
    expect(listTexts(response).map(({ logprobs }) => logprobs)).toEqual([[]]);
  });
});
