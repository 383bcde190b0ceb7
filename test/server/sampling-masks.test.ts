import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Engine, LogprobContent } from "../../src/engine/engine.js";
import { createSglangEngine, createVllmEngine } from "../../src/engine/index.js";
import type { VllmApi } from "../../src/engine/vllm/vllm-options.js";
import type { ServerSettings } from "../../src/server/settings.js";
import { Proxy } from "../helpers/proxy.js";
import { readSafetensors, type SafeTensors } from "../helpers/safetensors.js";
import { MASK_VOCABULARY, maskedLogprob, maskOf } from "../helpers/sampling-masks.js";
import { alternativeTo, fixedLogprob } from "../helpers/sglang/reply.js";
import { inventedLogprob } from "../helpers/sglang/scheduler.js";
import { type SglangServerOptions, startSglangServer } from "../helpers/sglang/sglang-server.js";
import { startVllmServer, type VllmServerOptions } from "../helpers/vllm/vllm-server.js";

/** The ids that each token was sampled from, from an engine's reply to the batch. */

interface Started {
  readonly proxy: Proxy<Engine>;
  readonly server: Awaited<ReturnType<typeof startVllmServer>> | Awaited<ReturnType<typeof startSglangServer>>;
  readonly warnings: string[];
}

const MAX_KEPT = 20;

type Settings = Partial<ServerSettings>;

async function startVllm(
  options: VllmServerOptions = {},
  { api, ...settings }: Settings & { api?: VllmApi } = {},
): Promise<Started> {
  const server = await startVllmServer({ samplingMask: true, logprobsMode: "processed_logprobs", ...options });
  return start(server, (common) => createVllmEngine({ ...common, api }), settings);
}

async function startSglang(
  options: SglangServerOptions = {},
  { tokenIdsLogprob, ...settings }: Settings & { tokenIdsLogprob?: readonly number[] } = {},
): Promise<Started> {
  const server = await startSglangServer(options);
  return start(server, (common) => createSglangEngine({ ...common, tokenIdsLogprob }), settings);
}

interface EngineOptions {
  readonly urls: readonly string[];
  readonly timeoutSeconds: number;
  readonly maxInflight: number;
  readonly maxKeptTokens: number;
  readonly vocabularySize: number;
  readonly onWarning: (message: string) => void;
}

async function start(
  server: Started["server"],
  createEngine: (options: EngineOptions) => Engine,
  { storage, ...settings }: Settings & { storage?: { readonly directory: string } },
): Promise<Started> {
  const warnings: string[] = [];
  const onWarning = (text: string) => void warnings.push(text);
  const limits = { timeoutSeconds: 0, maxInflight: 4, maxKeptTokens: MAX_KEPT, vocabularySize: MASK_VOCABULARY };
  const engine = createEngine({ urls: [server.url], ...limits, onWarning });
  const proxy = await Proxy.start({
    engine,
    settings: { chatTemplateType: "concat", ...settings },
    ...(storage && { storage }),
  });
  onTestFinished(async () => {
    await proxy.close();
    await engine.close();
    await server.close();
  });
  return { proxy, server, warnings };
}

const user = (content: string) => ({ role: "user", content });
const TRUNCATED = { top_k: 9, top_p: 0.9 };

/** Records three turns, one of them streamed and one of them cut, a branch of the first turn, and two choices. */
async function recordTree({ proxy, server }: Started, fields: object = TRUNCATED): Promise<string> {
  const session = await proxy.session();
  const first = await proxy.turn(session, [user("one")], fields);
  const second = await proxy.turn(session, [...first.messages, user("two")], fields);
  server.fault({ kind: "abort", after: 3 });
  await proxy.turn(session, [...second.messages, user("three")], fields);
  await proxy.chat(session, [...first.messages, user("streamed")], { stream: true, ...fields });
  await proxy.chat(session, [...first.messages, user("twice")], { n: 2, ...fields });
  await proxy.end(session);
  return session.id;
}

const LAYOUTS = [
  { layout: "padded", style: "individual", pad_side: "left" },
  { layout: "packed", style: "concat", on_mismatch: "split" },
  { layout: "tree" },
];

async function exportTensors(proxy: Proxy<Engine>, session_id: string, options: object): Promise<SafeTensors> {
  const reply = await proxy.post("/export_batch", { session_ids: [session_id], ...options });
  expect(reply.refusal).toBe("200");
  return readSafetensors(reply.raw);
}

/** Returns the ids of each output token with its mask, and of other tokens how many have one. */
function readMasks({ tensors }: SafeTensors) {
  const [ids = [], lossMask = [], kept = [], offsets = []] = ["input_ids", "loss_mask", "kept_ids", "kept_offsets"].map(
    (name) => tensors[name]?.data,
  );
  const maskAt = (i: number) => kept.slice(offsets[i], offsets[i + 1]);
  const outputs = ids.flatMap((id, i) => (lossMask[i] === 1 ? [{ id, mask: maskAt(i) }] : []));
  return { outputs, others: ids.filter((_, i) => lossMask[i] !== 1 && maskAt(i).length > 0).length };
}

const STARTS: [string, (settings?: Settings & { storage?: { readonly directory: string } }) => Promise<Started>][] = [
  ["vLLM", (settings) => startVllm({}, settings)],
  ["SGLang", (settings) => startSglang({}, settings)],
  ["SGLang, frames of what is new", (settings) => startSglang({ incremental: true }, settings)],
];

test.each(STARTS)("every output token has the ids that it was sampled from: %s", async (name, startEngine) => {
  const started = await startEngine();
  const id = await recordTree(started);
  const wanted = (token: number) => {
    const mask = maskOf(token, { topK: 9, topP: 0.9, minP: 0 });
    return name === "vLLM" ? mask : mask.reverse();
  };
  for (const options of LAYOUTS) {
    const batch = await exportTensors(started.proxy, id, options);
    expect(batch.tensors["kept_ids"]?.dtype).toBe("I32");
    expect(batch.tensors["kept_offsets"]?.dtype).toBe("I64");
    const { outputs, others } = readMasks(batch);
    expect(outputs.length).toBeGreaterThan(40);
    for (const { id, mask } of outputs) expect(mask).toEqual(wanted(id));
    expect(others).toBe(0);
  }
  expect(started.warnings).toEqual([]);
});

test.each(STARTS)("after a restart they are read from disk: %s", async (_, startEngine) => {
  const directory = mkdtempSync(join(tmpdir(), "rolltape-masks-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const before = await startEngine({ storage: { directory } });
  const id = await recordTree(before);
  const batch = readMasks(await exportTensors(before.proxy, id, { layout: "tree" }));
  await before.proxy.close();
  const after = await startEngine({ storage: { directory } });
  expect(readMasks(await exportTensors(after.proxy, id, { layout: "tree" }))).toEqual(batch);
});

test("SGLang's log probabilities are those among the ids of the mask, and recorded as truncated", async () => {
  const { proxy } = await startSglang({});
  const session = await proxy.session();
  await proxy.turn(session, [user("truncated")], { ...TRUNCATED, stream: false });
  await proxy.chat(session, [user("streamed")], { ...TRUNCATED, stream: true });
  await proxy.turn(session, [user("whole")], {});
  await proxy.turn(session, [user("greedy")], { ...TRUNCATED, temperature: 0 });
  await proxy.end(session);
  const { tensors } = await exportTensors(proxy, session.id, { layout: "packed", style: "individual" });
  const [ids = [], mask = [], logprobs = [], ends = []] = ["input_ids", "loss_mask", "logprobs", "cu_seqlens"].map(
    (name) => tensors[name]?.data,
  );
  for (let row = 0; row < 4; row++) {
    const outputs = ids
      .map((_, i) => i)
      .filter((i) => mask[i] === 1 && i >= (ends[row] ?? 0) && i < (ends[row + 1] ?? 0));
    const ofAll = outputs.map((i, index) => inventedLogprob(ids[i] ?? -1, index));
    expect(outputs.map((i) => logprobs[i])).toEqual(row < 2 ? ofAll.map(maskedLogprob) : ofAll);
  }
  const contents = [0, 1, 2, 3].map(
    (index) => proxy.context.registry.get(session.id).interaction(index).sampling?.logprobs,
  );
  expect(contents).toEqual(["truncated", "truncated", "temperature", "temperature"]);
});

test("SGLang's alternatives are limited to the mask, and fixed tokens are of the whole vocabulary", async () => {
  const started = await startSglang({}, { topLogprobs: 3, tokenIdsLogprob: [300, 7] });
  const { tensors } = await exportTensors(started.proxy, await recordTree(started), { layout: "tree" });
  const read = (name: string) => tensors[name]?.data ?? [];
  const [ids, logprobs] = [read("input_ids"), read("logprobs")];
  const outputs = read("loss_mask").flatMap((isOutput, i) => (isOutput === 1 ? [i] : []));
  const places = new Set<boolean>();
  for (const i of outputs) {
    const [id = -1, logprob = Number.NaN] = [ids[i], logprobs[i]];
    const mask = maskOf(id, { topK: 9, topP: 0.9, minP: 0 });
    for (let rank = 0; rank < 3; rank++) {
      const isKept = mask.includes(alternativeTo(id, rank));
      places.add(isKept);
      expect(read("top_ids")[i * 3 + rank]).toBe(isKept ? alternativeTo(id, rank) : -1);
      const wanted = isKept ? logprob - rank : Number.NEGATIVE_INFINITY;
      expect(read("top_logprobs")[i * 3 + rank]).toBeCloseTo(wanted, 4);
    }
    const whole = { id, logprob: logprob * 2, version: "" };
    expect(read("token_ids_logprobs").slice(i * 2, i * 2 + 2)).toEqual(
      [300, 7].map((other) => fixedLogprob(whole, other)),
    );
  }
  expect(places).toEqual(new Set([true, false]));
  expect(started.server.to("/generate").filter(({ json }) => "return_flat_raw_output_top_logprobs" in json)).toEqual(
    [],
  );
});

const REFUSED = [{ top_p: 0.9 }, { min_p: 0.1 }, { top_k: MAX_KEPT + 1 }, { top_k: MAX_KEPT + 1, top_p: 0.9 }];

test.each(REFUSED)("SGLang takes no call whose masks it does not return: %o", async (fields) => {
  const { proxy, server } = await startSglang();
  const session = await proxy.session();
  const reply = await proxy.chat(session, [user("one")], fields);
  expect(reply.refusal).toBe("400 unsupported_parameter");
  expect(reply.error.param).toBe("top_k");
  expect(reply.error.message).toContain(`top_k must be between 1 and ${MAX_KEPT} (engine.max_kept_tokens)`);
  expect(server.to("/generate")).toEqual([]);
});

test("a session may leave them out, and then take every call", async () => {
  const { proxy, server } = await startSglang();
  const session = await proxy.session({ without_channels: ["kept_ids"] });
  await proxy.turn(session, [user("one")], { top_p: 0.9 });
  await proxy.turn(session, [user("two")], TRUNCATED);
  await proxy.end(session);
  expect(server.to("/generate").map(({ json }) => json["return_sampling_mask"])).toEqual([undefined, undefined]);
  const { tensors } = await exportTensors(proxy, session.id, { layout: "tree" });
  expect(tensors["kept_ids"]).toBeUndefined();
});

test("a mask with more ids than the limit is not recorded, and a warning says so once", async () => {
  const started = await startVllm();
  const id = await recordTree(started, { top_k: MAX_KEPT + 1 });
  const { outputs } = readMasks(await exportTensors(started.proxy, id, { layout: "tree" }));
  expect(outputs.length).toBeGreaterThan(40);
  expect(outputs.every(({ mask }) => mask.length === 0)).toBe(true);
  expect(started.warnings).toEqual([
    `${started.server.url} sampled a token from ${MAX_KEPT + 1} ids. Masks with more than ${MAX_KEPT} are not recorded: raise ` +
      "`engine.max_kept_tokens`, or lower `top_k`.",
  ]);
});

test("calls without top_k, top_p and min_p have no masks, and no warning", async () => {
  for (const startEngine of [startVllm, startSglang]) {
    const started = await startEngine();
    const id = await recordTree(started, {});
    const { outputs } = readMasks(await exportTensors(started.proxy, id, { layout: "tree" }));
    expect(outputs.every(({ mask }) => mask.length === 0)).toBe(true);
    expect(started.warnings).toEqual([]);
  }
});

const WITHOUT = "so its tokens are recorded without them: ";
const SILENT: [string, () => Promise<Started>, LogprobContent, string][] = [
  ["vLLM", () => startVllm({ samplingMask: false }), "truncated", "start it with `--return-sampling-mask`"],
  [
    "vLLM's completions",
    () => startVllm({ samplingMask: false }, { api: "completions" }),
    "truncated",
    "start it with `--enable-scale-out --return-sampling-mask`, because only /inference/v1/generate returns them",
  ],
  ["SGLang", () => startSglang({ masks: false }), "temperature", "update SGLang"],
];

test.each(SILENT)("a server that returns none is named once: %s", async (_, startEngine, content, advice) => {
  const started = await startEngine();
  const id = await recordTree(started);
  expect(started.warnings).toEqual([
    `${started.server.url} sends no sampling masks, ${WITHOUT}${advice}, or set \`engine.sampling_masks=false\`.`,
  ]);
  const { tensors } = await exportTensors(started.proxy, id, { layout: "tree" });
  expect(tensors["kept_ids"]).toBeUndefined();
  expect(started.proxy.context.registry.get(id).interaction(0).sampling?.logprobs).toBe(content);
});
