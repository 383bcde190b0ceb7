import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ROW_COLUMNS } from "../../src/session/batch/row-columns.js";
import type { WireExport } from "../helpers/export-json.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { readSafetensors, type SafeTensors } from "../helpers/safetensors.js";

let proxy: Proxy;
let session: StartedSession;
beforeEach(async () => {
  proxy = await Proxy.start();
  session = await proxy.session();
});
afterEach(() => proxy.close());

const question = [{ role: "user", content: "a" }];

async function exportBatch(options: object = {}): Promise<SafeTensors> {
  await proxy.end(session);
  return readSafetensors((await proxy.post("/export_batch", { session_ids: [session.id], ...options })).raw);
}

/** Returns the values of a row column. Codes are replaced by their labels. */
function column({ metadata, tensors }: SafeTensors, name: string): unknown[] {
  const values = tensors[`row_${name}`]?.data ?? [];
  const codes = (JSON.parse(metadata["row_codes"] ?? "{}") as Record<string, string[]>)[name];
  return codes ? values.map((code) => codes[code] ?? code) : values;
}

const columns = (batch: SafeTensors, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, column(batch, name)[0]]));

describe.each(["padded", "packed", "tree"])("the row tensors of layout %s", (layout) => {
  it("contain the sampling parameters of each call", async () => {
    const asked = {
      temperature: 0.5,
      top_p: 0.75,
      top_k: 20,
      min_p: 0.125,
      frequency_penalty: 0.25,
      presence_penalty: -0.5,
      seed: 7,
      max_tokens: 2,
    };
    await proxy.chat(session, question, asked);
    const batch = await exportBatch({ layout });
    expect(columns(batch, [...Object.keys(asked), "sampling_temperature", "greedy", "grammar", "seeded"])).toEqual({
      ...asked,
      sampling_temperature: 0.5,
      greedy: 0,
      grammar: 0,
      seeded: 1,
    });
    expect(columns(batch, ["finish_reason", "logprob_content", "sampling_overridden"])).toEqual({
      finish_reason: "stop",
      logprob_content: "temperature",
      sampling_overridden: 0,
    });
  });

  it("have temperature 1 for greedy sampling, and for an engine with raw log probabilities", async () => {
    await proxy.chat(session, question, { temperature: 0 });
    proxy.engine.logprobs = "raw";
    await proxy.chat(session, question, { temperature: 0.5 });
    const batch = await exportBatch({ layout });
    expect(column(batch, "temperature")).toEqual([1, 1]);
    expect(column(batch, "sampling_temperature")).toEqual([0, 0.5]);
    expect(column(batch, "greedy")).toEqual([1, 0]);
    expect(column(batch, "logprob_content")).toEqual(["temperature", "raw"]);
  });

  it("contain a seed of up to 53 bits in two words", async () => {
    const seeds = [2 ** 53 - 1, -(2 ** 40) - 5, 0, -1];
    for (const seed of seeds) await proxy.chat(session, question, { seed });
    await proxy.chat(session, question);
    const batch = await exportBatch({ layout });
    const low = column(batch, "seed") as number[];
    const high = column(batch, "seed_high") as number[];
    expect(column(batch, "seeded")).toEqual([1, 1, 1, 1, 0]);
    expect(seeds.map((_, i) => (high[i] ?? 0) * 2 ** 32 + ((low[i] ?? 0) >>> 0))).toEqual(seeds);
  });

  it("contain the number of resumes", async () => {
    proxy.engine.replies.push({ ids: [300, 301], resumes: 3 }, { ids: [302] });
    await proxy.chat(session, question);
    await proxy.chat(session, question);
    const batch = await exportBatch({ layout });
    expect(column(batch, "resumes")).toEqual([3, 0]);
  });

  it("contain the requested model, the times and the attempt", async () => {
    const before = Math.floor(Date.now() / 1000);
    const named = { model: "gpt-oss-120b" };
    await proxy.chat(session, question, named, { "x-stainless-retry-count": "2" });
    const input = { model: "ü".repeat(200), input: "hello", max_output_tokens: 1 };
    await proxy.post("/v1/responses", input, session.key);
    await proxy.post("/v1/messages", { ...named, max_tokens: 8, messages: question }, session.key);
    const batch = await exportBatch({ layout });
    expect(column(batch, "api")).toEqual(["chat.completions", "responses", "messages"]);
    expect(column(batch, "requested_model")).toEqual(["gpt-oss-120b", "ü".repeat(128), "gpt-oss-120b"]);
    expect(column(batch, "attempt")).toEqual([2, 0, 0]);
    for (const second of column(batch, "created_at")) expect(second).toBeGreaterThanOrEqual(before);
    for (const seconds of column(batch, "latency")) expect(seconds).toBeLessThan(60);
    expect(batch.tensors["row_prompt_tokens"]?.shape).toEqual([3]);
  });
});

describe("the row tensors", () => {
  it("have the dtypes of the registry and one value per row", async () => {
    await proxy.chat(session, question);
    const { tensors } = await exportBatch();
    const described = Object.entries(tensors).filter(([name]) => name.startsWith("row_"));
    const shapes = described.map(([name, { dtype, shape }]) => [name, { dtype, shape }]);
    const wanted = ROW_COLUMNS.filter(({ perRow }) => perRow).map(({ name, dtype }) => [
      `row_${name}`,
      { dtype, shape: [1] },
    ]);
    expect(Object.fromEntries(shapes)).toEqual(Object.fromEntries(wanted));
  });

  it("and the metadata of rows are absent with row_tensors false", async () => {
    await proxy.chat(session, question);
    const batch = await exportBatch({ row_tensors: false });
    const names = ["input_ids", "loss_mask", "logprobs", "versions", "rewards", "attention_mask"];
    expect(Object.keys(batch.tensors)).toEqual(names);
    const metadata = [
      "producer",
      "layout",
      "style",
      "discount",
      "rewards_missing",
      "incomplete_calls",
      "aborted_calls",
      "rows",
    ];
    expect(Object.keys(batch.metadata)).toEqual(metadata);
  });

  it("have at most 1,024 labels in one batch", async () => {
    const { registry } = proxy.context;
    for (let i = 0; i < 1030; i++) await proxy.chat(session, question, { model: `model-${i}` });
    expect(registry.get(session.id).interactionCount).toBe(1030);
    const batch = await exportBatch();
    const models = column(batch, "requested_model");
    expect(models.slice(0, 1024)).toEqual(Array.from({ length: 1024 }, (_, i) => `model-${i}`));
    expect(models.slice(1024)).toEqual(Array(6).fill(-2));
  });

  it.each([
    ["layout tree", { layout: "tree" }],
    ["row_tensors false", { row_tensors: false }],
  ])("cannot list turns with %s", async (_, options) => {
    await proxy.chat(session, question);
    await proxy.end(session);
    const reply = await proxy.post("/export_batch", { session_ids: [session.id], turns: true, ...options });
    expect([reply.refusal, reply.error.param]).toEqual(["400 invalid_value", "turns"]);
  });
});

describe("the metadata of a batch", () => {
  it("has model, tokenizer, version and the recorded configuration", async () => {
    const concat = await Proxy.start({
      settings: { chatTemplateType: "concat", recordedConfig: { engine_max_tokens: 4096 } },
    });
    onTestFinished(() => concat.close());
    const own = await concat.session();
    await concat.chat(own, question);
    await concat.end(own);
    const { metadata } = readSafetensors((await concat.post("/export_batch", { session_ids: [own.id] })).raw);
    expect(metadata["model"]).toBe("tiny");
    expect(metadata["model_digest"]).toMatch(/^[0-9a-f]{64}$/);
    expect(metadata["model_digest"]).toBe(proxy.context.model.digest);
    expect(metadata["version"]).toMatch(/^\d+\.\d+\.\d+/);
    expect(JSON.parse(metadata["config"] ?? "")).toEqual({
      engine: "scripted",
      chat_template_type: "concat",
      engine_max_tokens: 4096,
    });
  });
});

describe("/export_trajectories", () => {
  it("has the values of the row tensors for each interaction", async () => {
    await proxy.chat(session, question, { temperature: 0.5, top_p: 0.75, seed: 3, max_tokens: 2, model: "m" });
    await proxy.end(session);
    const { interactions } = (await proxy.export(session)).json<WireExport>();
    const [interaction] = Object.values(interactions);
    expect(interaction).toMatchObject({
      requested_model: "m",
      attempt: 0,
      resumes: 0,
      choice: 0,
      choices: 1,
      cause: null,
      latency: expect.any(Number) as number,
      sampling: {
        temperature: 0.5,
        sampling_temperature: 0.5,
        greedy: false,
        top_p: 0.75,
        top_k: 0,
        min_p: 0,
        seed: 3,
        frequency_penalty: 0,
        presence_penalty: 0,
        repetition_penalty: 1,
        min_tokens: 0,
        ignore_eos: false,
        logit_bias: false,
        thinking_budget: null,
        max_tokens: 2,
        grammar: false,
        logprob_content: "temperature",
        overridden: false,
      },
    });
  });
});
