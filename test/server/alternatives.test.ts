import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Engine } from "../../src/engine/engine.js";
import { createSglangEngine, createVllmEngine } from "../../src/engine/index.js";
import { TokenValues } from "../../src/engine/servers/call/token-values.js";
import type { ServerReply } from "../../src/engine/servers/engine-server.js";
import { makeCall } from "../engine/generate-call.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { readSafetensors, type SafeTensors } from "../helpers/safetensors.js";
import { alternativeTo, fixedLogprob } from "../helpers/sglang/reply.js";
import { startSglangServer } from "../helpers/sglang/sglang-server.js";
import { startVllmServer } from "../helpers/vllm/vllm-server.js";

/** The alternatives of sampled tokens and the log probabilities of fixed tokens, from an engine's reply to the batch. */

interface Options {
  readonly topLogprobs?: number;
  readonly tokenIds?: readonly number[];
  readonly directory?: string;
}

const ENGINES = ["sglang", "sglang, incremental", "vllm", "vllm, completions"] as const;
type Name = (typeof ENGINES)[number];

const servers = {
  sglang: () => startSglangServer(),
  "sglang, incremental": () => startSglangServer({ incremental: true }),
  vllm: () => startVllmServer(),
  "vllm, completions": () => startVllmServer(),
};

const PATHS = {
  sglang: "/generate",
  "sglang, incremental": "/generate",
  vllm: "/inference/v1/generate",
  "vllm, completions": "/v1/completions",
};

async function start(name: Name, { topLogprobs = 0, tokenIds = [], directory }: Options) {
  const server = await servers[name]();
  const options = { urls: [server.url], timeoutSeconds: 0, maxInflight: 4, tokenIdsLogprob: tokenIds };
  const api = name === "vllm, completions" ? "completions" : "generate";
  const engine: Engine = name.startsWith("sglang")
    ? createSglangEngine(options)
    : createVllmEngine({ ...options, api });
  const proxy = await Proxy.start({
    engine,
    settings: { topLogprobs, chatTemplateType: "concat" },
    ...(directory !== undefined && { storage: { directory } }),
  });
  onTestFinished(async () => {
    await proxy.close();
    await engine.close();
    await server.close();
  });
  return { proxy, server };
}

type Started = Awaited<ReturnType<typeof start>>;

const user = (content: string) => ({ role: "user", content });

/** Records three turns, one of them cut, a streamed branch of the first turn, and two choices. */
async function recordTree({ proxy, server }: Started): Promise<string> {
  const session = await proxy.session();
  const first = await proxy.turn(session, [user("one")]);
  const second = await proxy.turn(session, [...first.messages, user("two")]);
  server.fault({ kind: "abort", after: 3 });
  await proxy.turn(session, [...second.messages, user("three")]);
  await proxy.chat(session, [...first.messages, user("streamed")], { stream: true });
  server.fault({ kind: "abort", after: 2 });
  await proxy.chat(session, [...first.messages, user("streamed and cut")], { stream: true });
  await proxy.chat(session, [...first.messages, user("twice")], { n: 2 });
  await proxy.end(session);
  return session.id;
}

async function exportBatch({ proxy }: Pick<Started, "proxy">, session_id: string, options: object = {}) {
  const reply = await proxy.post("/export_batch", { session_ids: [session_id], ...options });
  expect(reply.refusal).toBe("200");
  return readSafetensors(reply.raw);
}

const LAYOUTS = [
  { layout: "padded", style: "individual", pad_side: "left" },
  { layout: "packed", style: "concat", on_mismatch: "split" },
  { layout: "tree" },
];

const numbers = ({ tensors }: SafeTensors, name: string) => tensors[name]?.data ?? [];

/** Requires alternatives of every output, as the servers invent them, and none of other tokens. */
function expectTop(batch: SafeTensors, width: number): void {
  const [ids, logprobs, mask] = ["input_ids", "logprobs", "loss_mask"].map((name) => numbers(batch, name));
  const [topIds, topLogprobs] = [numbers(batch, "top_ids"), numbers(batch, "top_logprobs")];
  const { shape = [] } = batch.tensors["input_ids"] ?? {};
  expect(batch.tensors["top_ids"]).toMatchObject({ dtype: "I32", shape: [...shape, width] });
  expect(batch.tensors["top_logprobs"]).toMatchObject({ dtype: "F32", shape: [...shape, width] });
  for (const name of ["top_ids_mask", "top_logprobs_mask"]) expect(numbers(batch, name)).toEqual(mask);
  expect(mask).toContain(1);
  ids?.forEach((id, i) => {
    for (let rank = 0; rank < width; rank++) {
      const isOutput = mask?.[i] === 1;
      expect(topIds[i * width + rank]).toBe(isOutput ? alternativeTo(id, rank) : 0);
      expect(topLogprobs[i * width + rank]).toBeCloseTo(isOutput ? (logprobs?.[i] ?? 0) - rank : 0, 4);
    }
  });
}

const IDS = [300, 7, 511];

function expectFixed(batch: SafeTensors): void {
  const [ids, logprobs, mask] = ["input_ids", "logprobs", "loss_mask"].map((name) => numbers(batch, name));
  expect(JSON.parse(batch.metadata["channels"] ?? "")).toEqual([
    { name: "token_ids_logprobs", of: "output", mask: "token_ids_logprobs_mask", token_ids: IDS },
  ]);
  expect(numbers(batch, "token_ids_logprobs_mask")).toEqual(mask);
  expect(mask).toContain(1);
  const values = numbers(batch, "token_ids_logprobs");
  ids?.forEach((id, i) => {
    IDS.forEach((other, place) => {
      const wanted = mask?.[i] === 1 ? fixedLogprob({ id, logprob: logprobs?.[i] ?? 0, version: "" }, other) : 0;
      expect(values[i * IDS.length + place]).toBeCloseTo(wanted, 4);
    });
  });
}

test.each(ENGINES)("every output has its most likely alternatives: %s", async (name) => {
  const started = await start(name, { topLogprobs: 3 });
  const id = await recordTree(started);
  for (const layout of LAYOUTS) expectTop(await exportBatch(started, id, layout), 3);
});

test.each(ENGINES)("every output has the log probabilities of fixed tokens: %s", async (name) => {
  const started = await start(name, { tokenIds: IDS });
  const id = await recordTree(started);
  for (const layout of LAYOUTS) expectFixed(await exportBatch(started, id, layout));
});

test("after a restart, batches have both from the disk, with the token ids that were recorded", async () => {
  const directory = mkdtempSync(join(tmpdir(), "rolltape-alternatives-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const before = await start("sglang", { topLogprobs: 2, tokenIds: IDS, directory });
  const id = await recordTree(before);
  const batches = await Promise.all(LAYOUTS.map((layout) => exportBatch(before, id, layout)));
  expect(JSON.parse(batches[0]?.metadata["channels"] ?? "")).toMatchObject([{ token_ids: IDS }, {}, {}]);
  await before.proxy.close();
  const after = await start("sglang", { tokenIds: [1], directory });
  for (const [index, layout] of LAYOUTS.entries()) {
    const { metadata, tensors } = await exportBatch(after, id, layout);
    expect(metadata["channels"]).toBe(batches[index]?.metadata["channels"]);
    expect(tensors).toEqual(batches[index]?.tensors);
  }
});

interface Entry {
  readonly token: string;
  readonly logprob: number;
  readonly top_logprobs: readonly object[];
}

async function ask({ proxy }: Started, session: StartedSession, fields: object): Promise<readonly Entry[]> {
  const reply = await proxy.chat(session, [user("one")], { logprobs: true, ...fields });
  expect(reply.refusal).toBe("200");
  const text = reply.raw.toString();
  if (!text.startsWith("data:")) return (JSON.parse(text) as Answer).choices[0].logprobs.content;
  const frames = text.split("\n").filter((line) => line.startsWith("data: {"));
  return frames.flatMap((line) => {
    const { choices } = JSON.parse(line.slice("data: ".length)) as Partial<Answer>;
    return choices?.[0]?.logprobs?.content ?? [];
  });
}

interface Answer {
  readonly choices: readonly [{ readonly logprobs: { readonly content: readonly Entry[] } }];
}

test.each(ENGINES)("an agent gets the alternatives that it asks for, not those that are recorded: %s", async (name) => {
  const plain = await start(name, {});
  const recording = await start(name, { topLogprobs: 3 });
  const sessions = [await plain.proxy.session(), await recording.proxy.session()] as const;
  for (const top_logprobs of [0, 2, 5]) {
    for (const stream of [false, true]) {
      const answer = await ask(recording, sessions[1], { top_logprobs, stream, seed: 1 });
      expect(answer).toEqual(await ask(plain, sessions[0], { top_logprobs, stream, seed: 1 }));
      expect(new Set(answer.map(({ top_logprobs: top }) => top.length))).toEqual(new Set([top_logprobs]));
    }
  }
  await recording.proxy.end(sessions[1]);
  expectTop(await exportBatch(recording, sessions[1].id), 3);
});

test.each(ENGINES)("nothing is requested or recorded by default: %s", async (name) => {
  const started = await start(name, {});
  const id = await recordTree(started);
  const { metadata, tensors } = await exportBatch(started, id);
  expect(metadata).not.toHaveProperty("channels");
  expect(Object.keys(tensors).filter((tensor) => /^top_|^token_ids/.test(tensor))).toEqual([]);
  const bodies = started.server.to(PATHS[name]).map(({ json }) => JSON.stringify(json));
  expect(bodies.length).toBeGreaterThan(5);
  expect(bodies.filter((body) => /flat_raw|token_ids_logprob|logprob_token_ids/.test(body))).toEqual([]);
});

test("a session that is started without these channels requests and records none", async () => {
  const { proxy, server } = await start("sglang", { topLogprobs: 3, tokenIds: IDS });
  const session = await proxy.session({ without_channels: ["top_logprobs", "token_ids_logprobs"] });
  await proxy.turn(session, [user("one")]);
  await proxy.end(session);
  expect((await exportBatch({ proxy }, session.id)).metadata).not.toHaveProperty("channels");
  expect(server.to("/generate").map(({ json }) => [json["top_logprobs_num"], json["token_ids_logprob"]])).toEqual([
    [0, undefined],
  ]);
});

test("vLLM refuses alternatives to an agent while it returns fixed tokens", async () => {
  const started = await start("vllm", { tokenIds: IDS });
  const session = await started.proxy.session();
  const reply = await started.proxy.chat(session, [user("one")], { logprobs: true, top_logprobs: 2 });
  expect([reply.refusal, reply.error.param]).toEqual(["400 unsupported_parameter", "top_logprobs"]);
  expect(reply.error.message).toContain("engine.token_ids_logprob");
});

test("a server that returns no log probabilities of fixed tokens is named once", () => {
  const warnings: string[] = [];
  const options = { urls: [], timeoutSeconds: 0, maxInflight: 1, tokenIdsLogprob: IDS };
  const values = new TokenValues("http://engine:1", { ...options, onWarning: (text) => void warnings.push(text) });
  const note = (reply: ServerReply) =>
    values.note({ tokenIds: Int32Array.from(IDS) }, reply, makeCall([1]), "update it");
  note({ tokens: 0 });
  note({ tokens: 1, hasTokenIds: true });
  expect(warnings).toEqual([]);
  note({ tokens: 1 });
  note({ tokens: 1 });
  expect(warnings).toEqual([
    "http://engine:1 sends no log probabilities of the tokens of `engine.token_ids_logprob`, so its tokens are recorded " +
      "without them: update it, or set `engine.token_ids_logprob=[]`.",
  ]);
});
