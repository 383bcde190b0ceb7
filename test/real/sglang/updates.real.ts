import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Interaction } from "../../../src/client/interaction.js";
import { writeTinyCheckpoint } from "../../helpers/tiny-checkpoint.js";
import { openRealEngine } from "../support/real-engine.js";
import { type Claim, recompute } from "../support/recompute.js";
import { type ChatAnswer, openRig, type Rig, type RigSession } from "../support/rig.js";

/**
 * Weight updates and pauses of an unmodified SGLang. Versions are integers. Each recorded token must have the log probability
 * that transformers computes with the weights of its version: for prompts that no cache has, whose caches SGLang drops in the
 * update, and for prompts that its cache has.
 */

const engine = openRealEngine();
const { python } = engine;

const TOLERANCE = 5e-5;

/** Enough that a generation runs on while the test sends its next calls. */
const TOKENS = 800;

const GRAMMAR = {
  type: "json_schema",
  json_schema: {
    name: "list",
    schema: { type: "array", items: { type: "string", maxLength: 30 }, minItems: 120, maxItems: 121 },
  },
};

/** Takes xgrammar seconds to compile, and differs in each call, so that no cache has it. */
const slowGrammar = () => ({
  type: "json_schema",
  json_schema: {
    name: "slow",
    schema: {
      type: "string",
      pattern: `^(${Array.from({ length: 40 }, (_, index) => `a{${index},${index + 400}}b`).join("|")}){1,20}${Date.now()}$`,
    },
  },
});

let folder: string;
let rig: Rig;
/** Folders of the weights by version. */
const folders = new Map<number, string>();
/** The last version that was set, which stays on the server. */
let version = 100;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rolltape-weights-"));
  for (const seed of [11, 12]) await writeTinyCheckpoint(join(folder, String(seed)), seed);
});
afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  rig = await openRig("sglang", engine, { "engine.timeout_seconds": 0 });
  await update(engine.model);
});
afterEach(async () => {
  await update(engine.model);
  await rig[Symbol.asyncDispose]();
});

/** Loads weights as the next version, and returns the record of the update. */
async function update(path: string): Promise<Readonly<Record<string, unknown>>> {
  version++;
  folders.set(version, path);
  const response = await control("/rl/weights", { version, path });
  const record = (await response.json()) as Readonly<Record<string, unknown>>;
  expect({ status: response.status, record }).toMatchObject({ status: 200 });
  return record;
}

function control(path: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${rig.adminKey}`, "content-type": "application/json" };
  return fetch(`${rig.server.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Sends a call to the engine itself, as a trainer does. */
async function tell(path: string, body: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${engine.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  expect({ status: response.status, text: await response.text() }).toMatchObject({ status: 200 });
}

interface Running {
  readonly session: RigSession;
  readonly answer: Promise<ChatAnswer>;
}

/** Starts a long generation whose prompt no cache has, because it begins with the session's id. */
async function begin(fields: Readonly<Record<string, unknown>> = {}): Promise<Running> {
  const session = await rig.session();
  const content = `${session.id} ${"Say something. ".repeat(40)}`;
  const sampling = { temperature: 1, ignore_eos: true, max_tokens: TOKENS };
  return { session, answer: session.chat({ messages: [{ role: "user", content }], ...sampling, ...fields }) };
}

const generations = () => rig.referee.calls.filter(({ path }) => path === "/generate");

/** Waits until so many streams have begun, and so have the generations that were started before them. */
async function untilRunning(streams: number): Promise<void> {
  await expect.poll(() => generations().filter(({ answer = "" }) => answer.length > 0).length).toBe(streams);
}

async function finish({ session, answer }: Running): Promise<Interaction> {
  const { status, text } = await answer;
  expect({ status, text }).toMatchObject({ status: 200 });
  expect(text).not.toContain('"error"');
  const [interaction] = await session.exported();
  if (!interaction) throw new Error("not recorded");
  return interaction;
}

const versionsOf = ({ modelResponse }: Interaction) => [...new Set(modelResponse.outputVersions)];

/** Computes all outputs with the weights of each of their versions, and compares the tokens that have the version. */
function expectRecomputed(interactions: readonly Interaction[], requests: readonly string[]): void {
  if (python === undefined) return;
  const claims = interactions.flatMap((interaction) =>
    versionsOf(interaction).map((each) => ({
      interaction,
      version: each,
      claim: toClaim(interaction, each, requests),
    })),
  );
  const found = recompute(
    python,
    claims.map(({ claim }) => claim),
  );
  let worst = 0;
  let tokens = 0;
  claims.forEach(({ interaction, version: each }, index) => {
    const { outputLogprobs, outputVersions } = interaction.modelResponse;
    outputVersions.forEach((tokenVersion, at) => {
      if (tokenVersion !== each) return;
      tokens++;
      const error = Math.abs((outputLogprobs[at] ?? Number.NaN) - (found[index]?.[at] ?? Number.NaN));
      worst = Math.max(worst, Number.isNaN(error) ? Number.POSITIVE_INFINITY : error);
    });
  });
  process.stdout.write(
    `${interactions.length} outputs, ${tokens} tokens; largest difference ${worst.toExponential(1)}\n`,
  );
  expect(worst).toBeLessThan(TOLERANCE);
}

function toClaim({ modelResponse, sampling }: Interaction, each: number, requests: readonly string[]): Claim {
  const prompt = [...modelResponse.inputTokens];
  const model = folders.get(each);
  const begins = `{"input_ids":[${prompt.join(",")}]`;
  const request = requests.find((body) => body.replaceAll(" ", "").startsWith(begins));
  if (model === undefined || !sampling || request === undefined) throw new Error(`nothing is known of version ${each}`);
  return { engine: "sglang", model, prompt, output: [...modelResponse.outputTokens], sampling, request };
}

describe.skipIf(python === undefined)("a weight update of a real SGLang", () => {
  const weights = (seed: number) => join(folder, String(seed));

  it("leaves generations on the server; each token has the log probability of its version", async () => {
    const before = version;
    const whole = await Promise.all(Array.from({ length: 4 }, () => begin()));
    const streams = [await begin({ stream: true }), await begin({ stream: true, response_format: GRAMMAR })];
    await untilRunning(2);
    const record = await update(weights(11));
    process.stdout.write(`held calls for ${String(record["paused_seconds"])} s\n`);
    const interactions = await Promise.all([...whole, ...streams].map(finish));
    for (const interaction of interactions) expect(versionsOf(interaction)).toEqual([before, version]);
    expect(generations()).toHaveLength(6);
    // A second turn has its prompt in the cache, computed with the new weights.
    const again = await begin({ max_tokens: 30 });
    expectRecomputed(
      [...interactions, await finish(again)],
      generations().map(({ body }) => body),
    );
  });

  it("works while the server is paused in place, and the pause goes on", async () => {
    const before = version;
    // They run far longer than the calls below take, also on a busy machine.
    const running = [await begin({ max_tokens: 2000 }), await begin({ max_tokens: 2000 })];
    const signal = await begin({ stream: true, max_tokens: 20 });
    await untilRunning(1);
    expect((await control("/rl/engine/pause", { mode: "keep" })).status).toBe(200);
    await update(weights(12));
    expect((await control("/rl/engine/resume", {})).status).toBe(200);
    await finish(signal);
    const interactions = await Promise.all(running.map(finish));
    for (const interaction of interactions) expect(versionsOf(interaction)).toEqual([before, version]);
    expectRecomputed(
      interactions,
      generations().map(({ body }) => body),
    );
  });

  it("records the version of each token in 20 updates under load", async () => {
    const interactions: Interaction[] = [];
    let ended = false;
    const callAgain = async (stream: boolean) => {
      while (!ended) interactions.push(await finish(await begin({ stream, max_tokens: 300 })));
    };
    const callers = [false, false, true].map(callAgain);
    await untilRunning(1);
    for (let step = 0; step < 20; step++) await update(weights(11 + (step % 2)));
    ended = true;
    await Promise.all(callers);
    const crossing = interactions.filter((interaction) => versionsOf(interaction).length > 1);
    process.stdout.write(`${interactions.length} calls, ${crossing.length} of them across updates\n`);
    expect(crossing.length).toBeGreaterThan(0);
    expect(interactions.filter(({ versionsUncertain }) => versionsUncertain)).toEqual([]);
    expectRecomputed(
      interactions,
      generations().map(({ body }) => body),
    );
  });

  it("by a trainer that names the weights by a text is recorded under a version of its own", async () => {
    const before = version;
    const running = [await begin(), await begin({ stream: true })];
    await untilRunning(1);
    await tell("/pause_generation", { mode: "retract" });
    await tell("/update_weights_from_disk", {
      model_path: weights(12),
      weight_version: "step-1",
      abort_all_requests: false,
      keep_pause: true,
      flush_cache: true,
    });
    await tell("/continue_generation", {});
    const interactions = await Promise.all(running.map(finish));
    const headers = { authorization: `Bearer ${rig.adminKey}` };
    const answer = await fetch(`${rig.server.url}/rl/engine`, { headers });
    const { version_labels: labels } = (await answer.json()) as { version_labels: Record<string, number> };
    // The number after the last one, which the test itself counts too.
    expect(labels).toEqual({ "step-1": ++version });
    folders.set(version, weights(12));
    for (const interaction of interactions) {
      expect(versionsOf(interaction)).toEqual([before, version]);
      expect(interaction.versionsUncertain).toBe(false);
    }
    expectRecomputed(
      interactions,
      generations().map(({ body }) => body),
    );
  });

  it("waits for grammars that are being compiled", async () => {
    const running = await begin();
    const compiling = await begin({ stream: true, response_format: slowGrammar() });
    await expect.poll(() => generations().length).toBe(2);
    await update(weights(11));
    await Promise.all([running, compiling].map(finish));
    const flushes = rig.referee.calls.filter(({ path }) => path === "/flush_cache").map(({ status }) => status);
    // The server has refused to flush its caches.
    expect(flushes).toContain(400);
  });
});

describe("a pause of a real SGLang", () => {
  it("in mode keep lets the version of 20 updates be set on the server, which names it for each token", async () => {
    const running = [await begin({ max_tokens: 2000 }), await begin({ stream: true, max_tokens: 2000 })];
    await untilRunning(1);
    const set: number[] = [version];
    for (let step = 0; step < 20; step++) {
      expect((await control("/rl/engine/pause", { mode: "keep" })).status).toBe(200);
      expect((await control("/rl/set_version", { version: ++version })).status).toBe(200);
      set.push(version);
      expect((await control("/rl/engine/resume", {})).status).toBe(200);
    }
    for (const interaction of await Promise.all(running.map(finish))) {
      const versions = versionsOf(interaction);
      expect(set).toEqual(expect.arrayContaining(versions));
      expect(versions).toEqual(versions.toSorted((one, other) => one - other));
      expect(versions.length).toBeGreaterThan(10);
      expect(interaction.versionsUncertain).toBe(false);
    }
  });

  it("in mode abort cuts what a pause in mode keep has frozen", async () => {
    const running = [await begin({ max_tokens: 2000 }), await begin({ max_tokens: 2000 })];
    const signal = await begin({ stream: true, max_tokens: 20 });
    await untilRunning(1);
    for (const mode of ["keep", "abort"]) expect((await control("/rl/engine/pause", { mode })).status).toBe(200);
    expect((await control("/rl/engine/resume", {})).status).toBe(200);
    await finish(signal);
    const interactions = await Promise.all(running.map(finish));
    // Each was cut once.
    expect(generations().length).toBeGreaterThanOrEqual(5);
    for (const { modelResponse } of interactions) expect(modelResponse.outputTokens).toHaveLength(2000);
  });

  it("by a trainer does not fail a call whose grammar is being compiled", async () => {
    const compiling = await Promise.all(
      [true, false].map((stream) => begin({ stream, response_format: slowGrammar() })),
    );
    await expect.poll(() => generations().length).toBe(2);
    await tell("/pause_generation", { mode: "abort" });
    await tell("/continue_generation", {});
    await Promise.all(compiling.map(finish));
    const removed = generations().filter(({ answer = "" }) => answer.includes("Aborted by AbortReq."));
    expect(new Set(removed.map(({ status }) => status))).toEqual(new Set([200, 400]));
    expect(generations()).toHaveLength(4);
  });
});
