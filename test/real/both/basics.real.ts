import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI, { BadRequestError } from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Interaction } from "../../../src/client/interaction.js";
import type { ModelResponse } from "../../../src/client/model-response.js";
import { tinyModelFiles } from "../../../src/engine/embedded/tiny-model/tiny-model-files.js";
import type { RecordedSampling } from "../../../src/facts/recorded-sampling.js";
import { openRealEngine } from "../support/real-engine.js";
import { recompute } from "../support/recompute.js";
import { openRig, type Rig, type RigSession } from "../support/rig.js";

const engine = openRealEngine();
/** Long enough to be interrupted. */
const LONG = { max_tokens: 1500, ignore_eos: true, temperature: 1 };
/**
 * With so small a model, vLLM's HTTP server is often too busy on two cores to read or write anything before a generation has ended.
 * Such an attempt shows nothing, so the next one follows.
 */
const ATTEMPTS = { timeout: 240_000 };
const MESSAGES = [{ role: "user" as const, content: "Tell me about rivers." }];

let rig: Rig;
let other: string;
/** The last version that was loaded. */
let version = 40;

beforeAll(async () => {
  rig = await openRig(engine.name, engine);
  other = await mkdtemp(join(tmpdir(), "rolltape-weights-"));
  for (const [name, bytes] of tinyModelFiles(12_345)) await writeFile(join(other, name), bytes);
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  await rm(other, { recursive: true, force: true });
});

function openAi({ key }: RigSession): OpenAI {
  return new OpenAI({ baseURL: `${rig.server.url}/v1`, apiKey: key, maxRetries: 0 });
}

it("streams to OpenAI's client the text that it records", async () => {
  const session = await rig.session();
  const stream = await openAi(session).chat.completions.create({ model: "m", messages: MESSAGES, stream: true });
  let text = "";
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
  const [interaction] = await session.exported();
  expect(interaction?.outputMessages?.at(-1)).toMatchObject({ role: "assistant", content: text });
});

it("stops the engine when a client disconnects, and records nothing", async () => {
  let recorded: readonly Interaction[] | undefined;
  const leave = async () => {
    recorded = await leaveEarly();
    return recorded !== undefined;
  };
  await expect.poll(leave, ATTEMPTS).toBe(true);
  expect(recorded).toEqual([]);
});

/**
 * Starts a stream and disconnects at its first piece. Returns what was recorded; undefined if the engine had generated
 * everything by then.
 */
async function leaveEarly(): Promise<readonly Interaction[] | undefined> {
  const session = await rig.session();
  const generated = await readGauge("generation_tokens_total");
  const leaving = new AbortController();
  const body = { model: "m", messages: MESSAGES, stream: true as const, ...LONG };
  const stream = await openAi(session).chat.completions.create(body, { signal: leaving.signal });
  for await (const _ of stream) break;
  leaving.abort();
  await expect.poll(countRunning).toBe(0);
  const isEarly = (await readGauge("generation_tokens_total")) - generated < LONG.max_tokens;
  return isEarly ? await session.exported() : undefined;
}

it("records which weights sampled each token of a call that an update cuts", async ({ skip }) => {
  const { python } = engine;
  if (python === undefined) return skip("the server at --url keeps its weights");
  let cut: CutOutput | undefined;
  const cutOne = async () => {
    cut = await updateDuringCall();
    return cut !== undefined;
  };
  await expect.poll(cutOne, ATTEMPTS).toBe(true);
  if (cut) expectFrom(python, cut);
});

/** Loads other weights during a call, then the model's own again. Returns undefined if the call had ended before. */
async function updateDuringCall(): Promise<CutOutput | undefined> {
  const session = await rig.session();
  const [renewed, restored] = [++version, ++version];
  let ended = false;
  const answer = session.chat({ messages: MESSAGES, ...LONG }).finally(() => (ended = true));
  await expect.poll(async () => ended || (await countRunning()) === 1).toBe(true);
  await rig.trainer.admin.updateWeights({ version: renewed, path: other });
  const { status, text } = await answer;
  expect(status, text).toBe(200);
  await rig.trainer.admin.updateWeights({ version: restored, path: engine.model });
  const [interaction] = await session.exported();
  if (!interaction) throw new Error("nothing was recorded");
  const { modelResponse: response, sampling } = interaction;
  const versions = [...response.outputVersions];
  const cut = versions.indexOf(renewed);
  if (cut <= 0) return undefined;
  expect(versions).toEqual(versions.map((_, index) => (index < cut ? versions[0] : renewed)));
  return { response, cut, sampling };
}

it.each([false, true])("refuses a grammar that the engine cannot compile with 400 (stream: %s)", async (stream) => {
  const session = await rig.session();
  const schema = { type: "object", properties: { a: { type: "string", pattern: "(" } }, required: ["a"] };
  const create = async () => {
    const answer = await openAi(session).chat.completions.create({
      model: "m",
      messages: MESSAGES,
      stream,
      response_format: { type: "json_schema", json_schema: { name: "bad", schema } },
    });
    if (Symbol.asyncIterator in answer) for await (const _ of answer);
  };
  await expect(create()).rejects.toThrow(BadRequestError);
});

interface CutOutput {
  readonly response: ModelResponse;
  /** Number of tokens of the old weights. */
  readonly cut: number;
  readonly sampling: RecordedSampling | undefined;
}

/** Every token's log probability must be that of the weights whose version it has. */
function expectFrom(python: string, { response, cut, sampling }: CutOutput): void {
  if (!sampling) throw new Error("no sampling was recorded");
  const prompt = [...response.inputTokens];
  const output = [...response.outputTokens];
  const common = { engine: engine.name, sampling, request: "{}" };
  const [old = [], renewed = []] = recompute(python, [
    { ...common, model: engine.model, prompt, output: output.slice(0, cut) },
    { ...common, model: other, prompt: [...prompt, ...output.slice(0, cut)], output: output.slice(cut) },
  ]);
  const errors = [...old, ...renewed].map((value, index) => Math.abs(value - (response.outputLogprobs[index] ?? 0)));
  expect(Math.max(...errors)).toBeLessThan(1e-4);
}

/** Number of generations that the engine computes. SGLang's metric of them is updated rarely. */
async function countRunning(): Promise<number> {
  if (engine.name === "vllm") return readGauge("num_requests_running");
  const text = await (await fetch(`${engine.url}/v1/loads`)).text();
  return sum(text.matchAll(/"num_running_reqs":\s*(\d+)/g));
}

async function readGauge(name: string): Promise<number> {
  const text = await (await fetch(`${engine.url}/metrics`)).text();
  return sum(text.matchAll(new RegExp(`^${engine.name}:${name}(?:\\{.*\\})? (\\S+)$`, "gm")));
}

function sum(matches: Iterable<RegExpMatchArray>): number {
  return [...matches].reduce((total, [, value]) => total + Number(value), 0);
}
