import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Interaction } from "../../../src/client/interaction.js";
import { openRealEngine } from "../support/real-engine.js";
import { recompute } from "../support/recompute.js";
import { type ChatAnswer, openRig, type Rig } from "../support/rig.js";

/** Requests that an unmodified SGLang refuses, ignores in part, or samples differently than their parameters say. */

const engine = openRealEngine();
const { python } = engine;

let rig: Rig;
beforeAll(async () => {
  rig = await openRig("sglang", engine);
});
afterAll(() => rig[Symbol.asyncDispose]());

const generations = () => rig.referee.calls.filter(({ path }) => path === "/generate");

interface Sent {
  readonly answer: ChatAnswer;
  /** Undefined if the call failed. */
  readonly interaction: Interaction | undefined;
}

async function send(content: string, fields: Readonly<Record<string, unknown>>): Promise<Sent> {
  const session = await rig.session();
  const messages = [{ role: "user", content: `${session.id} ${content}` }];
  const answer = await session.chat({ messages, max_tokens: 40, ...fields });
  const [interaction] = await session.exported();
  return { answer, interaction };
}

async function post(path: string, body: object): Promise<{ status: number; text: string }> {
  const session = await rig.session();
  const response = await fetch(`${rig.server.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${session.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

describe("a grammar that the server cannot compile", () => {
  const schema = { type: "string", pattern: "((" };
  const messages = [{ role: "user", content: "Hi" }];
  const requests: [path: string, body: object][] = [
    [
      "/v1/chat/completions",
      { messages, response_format: { type: "json_schema", json_schema: { name: "x", schema } } },
    ],
    ["/v1/messages", { messages, max_tokens: 9, output_config: { format: { type: "json_schema", schema } } }],
  ];
  it.each(requests.flatMap(([path, body]) => [true, false].map((stream) => [path, { ...body, stream }] as const)))(
    "is a 400 with the engine's message: %s %o",
    async (path, body) => {
      const before = generations().length;
      const { status, text } = await post(path, body);
      expect({ status, text, sent: generations().length - before }).toMatchObject({ status: 400, sent: 1 });
      expect(text).toContain("invalid_request_error");
      expect(text).toMatch(/compile|regex|grammar/i);
    },
  );
});

describe("the longest prompt", () => {
  /** Returns a text of so many tokens, with what the chat template adds. */
  async function makeText(tokens: number): Promise<string> {
    const count = async (content: string) => {
      const { text } = await post("/v1/messages/count_tokens", { messages: [{ role: "user", content }] });
      return (JSON.parse(text) as { input_tokens: number }).input_tokens;
    };
    let text = "z".repeat(tokens);
    for (;;) {
      const excess = (await count(text)) - tokens;
      if (excess === 0) return text;
      text = excess > 0 ? text.slice(excess) : text + "z".repeat(-excess);
    }
  }

  it("has a token less than max_req_input_len; the server gets no longer one", async () => {
    const info = (await (await fetch(`${engine.url}/server_info`)).json()) as { max_req_input_len: number };
    const longest = info.max_req_input_len - 1;
    for (const stream of [false, true]) {
      const body = (content: string) => ({ messages: [{ role: "user", content }], max_tokens: 50, stream });
      const fits = await post("/v1/chat/completions", body(await makeText(longest)));
      expect(fits).toMatchObject({ status: 200 });
      const before = generations().length;
      const tooLong = await post("/v1/chat/completions", body(await makeText(longest + 1)));
      expect([tooLong.status, generations().length - before]).toEqual([400, 0]);
      expect(tooLong.text).toContain("context_length_exceeded");
    }
  });
});

it("names a seed that the server ignores, and records none", async () => {
  const { answer, interaction } = await send("Hi", { seed: 7 });
  expect([answer.status, answer.headers.get("x-rolltape-not-enforced")]).toEqual([200, "seed"]);
  expect(interaction?.sampling?.seed).toBeUndefined();
});

it.skipIf(python === undefined)("records top_k 1 as greedy, alone and beside calls that are not", async () => {
  const greedy = { top_k: 1, temperature: 2, ignore_eos: true };
  const alone = await send("Tell me about the sea.", greedy);
  const others = Array.from({ length: 3 }, () => send("Hi", { temperature: 1, ignore_eos: true, max_tokens: 300 }));
  await expect.poll(() => generations().filter(({ ended }) => !ended).length).toBe(3);
  const beside = await send("Tell me about the sea.", greedy);
  await Promise.all(others);
  const outputs = [alone, beside].map(({ interaction }) => {
    if (!interaction?.sampling) throw new Error("not recorded");
    const { modelResponse, sampling } = interaction;
    expect(sampling).toMatchObject({ greedy: true, temperature: 1, samplingTemperature: 0, topK: 1 });
    const prompt = [...modelResponse.inputTokens];
    const output = [...modelResponse.outputTokens];
    const claim = { engine: "sglang", model: engine.model, prompt, output, sampling, request: "{}" } as const;
    return { claim, recorded: [...modelResponse.outputLogprobs] };
  });
  const found = recompute(
    python ?? "",
    outputs.map(({ claim }) => claim),
  );
  outputs.forEach(({ recorded }, index) => {
    recorded.forEach((logprob, at) => expect(logprob).toBeCloseTo(found[index]?.[at] ?? Number.NaN, 4));
  });
});
