import { afterAll, beforeAll, expect, it } from "vitest";
import { openRealEngine } from "../support/real-engine.js";
import { readOutputs, type WireOutput } from "../support/referee.js";
import { openRig, type Rig } from "../support/rig.js";

/** Token ids in answers equal those that the engine sent. Where vLLM has the same route, they equal its own answer, too. */

const engine = openRealEngine();
const MESSAGES = [{ role: "user", content: "Tell me about rivers." }];
const SAMPLING = { temperature: 1, max_tokens: 12, logprobs: 1 };

let rig: Rig;
beforeAll(async () => {
  rig = await openRig(engine.name, engine);
});
afterAll(() => rig[Symbol.asyncDispose]());

interface Answer {
  readonly prompt_token_ids?: readonly number[];
  readonly choices: readonly Choice[];
}

interface Choice {
  readonly token_ids: readonly number[];
  readonly prompt_token_ids?: readonly number[];
  readonly finish_reason: string | null;
  readonly logprobs: {
    readonly content?: readonly { readonly token?: string; readonly token_id?: number; readonly logprob: number }[];
    readonly token_logprobs?: readonly number[];
  } | null;
}

async function post(url: string, path: string, key: string, body: object): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text;
}

const frames = (stream: string): Answer[] =>
  [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, json = ""]) => JSON.parse(json) as Answer);

function logprobsOf({ logprobs }: Choice): number[] {
  return (logprobs?.content?.map(({ logprob }) => logprob) ?? logprobs?.token_logprobs ?? []).map(Math.fround);
}

/** Ids and log probabilities of a body, or of the deltas of a stream. */
function read(text: string): WireOutput {
  const answers = text.startsWith("{") ? [JSON.parse(text) as Answer] : frames(text);
  const choices = answers.flatMap((answer) => answer.choices);
  const prompt = answers[0]?.prompt_token_ids ?? choices[0]?.prompt_token_ids ?? [];
  return { prompt, ids: choices.flatMap(({ token_ids: ids }) => ids ?? []), logprobs: choices.flatMap(logprobsOf) };
}

it("are in each answer the ids and log probabilities that the engine sent, and in the record", async () => {
  const session = await rig.session();
  const answered: WireOutput[] = [];
  const chat = { model: engine.served, return_token_ids: true, ...SAMPLING, logprobs: true };
  const before = rig.referee.calls.length;
  for (const stream of [false, true]) {
    const text = await post(rig.server.url, "/v1/chat/completions", session.key, {
      ...chat,
      messages: MESSAGES,
      stream,
    });
    answered.push(read(text));
  }
  const last = answered[1];
  const prompt = [...(last?.prompt ?? []), ...(last?.ids ?? []), 300, 301];
  const completion = { model: engine.served, prompt, return_token_ids: true, ...SAMPLING, logprobs: 0 };
  answered.push(read(await post(rig.server.url, "/v1/completions", session.key, completion)));
  const generate = { model: engine.served, token_ids: prompt, sampling_params: SAMPLING };
  const generated = read(await post(rig.server.url, "/inference/v1/generate", session.key, generate));
  answered.push({ ...generated, prompt });

  expect(answered).toEqual(readOutputs(rig.referee.calls.slice(before)).filter((wire) => wire.prompt.length > 1));
  const recorded = await session.exported();
  const responses = recorded.map(({ modelResponse: response }) => ({
    prompt: [...response.inputTokens],
    ids: [...response.outputTokens],
    logprobs: [...response.outputLogprobs],
  }));
  expect(responses).toEqual(answered);
  // Both prompts of ids continue the streamed answer.
  expect(recorded.map(({ parentId }) => recorded.findIndex(({ id }) => id === parentId))).toEqual([-1, -1, 1, 1]);
});

const GREEDY = { temperature: 0, max_tokens: 8 };

/** Bodies that vLLM and Rolltape both answer. */
const SHARED: readonly (readonly [path: string, body: object])[] = [
  ["/v1/chat/completions", { messages: MESSAGES, return_token_ids: true, logprobs: true, ...GREEDY }],
  ["/v1/chat/completions", { messages: MESSAGES, return_token_ids: true, logprobs: true, ...GREEDY, stream: true }],
  [
    "/v1/chat/completions",
    { messages: MESSAGES, return_token_ids: true, return_tokens_as_token_ids: true, logprobs: true, ...GREEDY },
  ],
  ["/v1/completions", { prompt: [300, 301, 302], return_token_ids: true, logprobs: 0, ...GREEDY }],
  ["/inference/v1/generate", { token_ids: [300, 301, 302], sampling_params: { ...GREEDY, logprobs: 0 } }],
];

// SGLang has other routes.
it.each(engine.name === "vllm" ? SHARED : [])("are at %s where vLLM has them", async (path, body) => {
  const { key } = await rig.session();
  const request = { model: engine.served, ...body };
  const [own = "", theirs = ""] = await Promise.all(
    [rig.server.url, engine.url].map((url) => post(url, path, key, request)),
  );
  const [ours, expected] = [read(own), read(theirs)];
  expect({ prompt: ours.prompt, ids: ours.ids }).toEqual({ prompt: expected.prompt, ids: expected.ids });
  expect(ours.logprobs).toHaveLength(expected.logprobs.length);
  for (const [index, logprob] of expected.logprobs.entries()) expect(ours.logprobs[index]).toBeCloseTo(logprob, 5);
  expect(namesOf(own)).toMatchObject(namesOf(theirs));
});

/** How the tokens with log probabilities are named, and the reasons why choices ended. */
function namesOf(text: string): object {
  const answers = text.startsWith("{") ? [JSON.parse(text) as Answer] : frames(text);
  const choices = answers.flatMap((answer) => answer.choices);
  const entries = choices.flatMap(({ logprobs }) => logprobs?.content ?? []);
  const names = entries.map(({ token, token_id }) => ({ ...(token && { token }), ...(token_id && { token_id }) }));
  return { names, finish: choices.flatMap(({ finish_reason: reason }) => reason ?? []) };
}
