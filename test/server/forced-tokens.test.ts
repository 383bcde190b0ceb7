import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import type { Engine } from "../../src/engine/engine.js";
import { createSglangEngine, createVllmEngine } from "../../src/engine/index.js";
import type { WireExport } from "../helpers/export-json.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { readSafetensors, type SafeTensors } from "../helpers/safetensors.js";
import type { GenerateRequest } from "../helpers/sglang/protocol.js";
import { startSglangServer } from "../helpers/sglang/sglang-server.js";
import { startVllmServer } from "../helpers/vllm/vllm-server.js";

/** Tokens that a thinking budget forces: recorded, but not trained on. */

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

/** `<think>` and `</think>` in the tiny model's tokens. */
const BEGIN = [452, 29];
const END = [325, 406, 29];

/** Two tokens of reasoning, or four of output. */
const FORCED = [...BEGIN, 7, 8, ...END, 40, 41];
const FORCED_MASK = [1, 1, 1, 1, 0, 0, 0, 1, 1];

const messages = [{ role: "user", content: "a" }];

/** Returns the part of the output that a request continues: the first one has the shortest prompt. */
function completing(output: readonly number[]) {
  let promptLength = Number.POSITIVE_INFINITY;
  return ({ inputLength }: GenerateRequest) => {
    promptLength = Math.min(promptLength, inputLength);
    return output.slice(inputLength - promptLength);
  };
}

async function startProxy(engine: Engine, options: object = {}) {
  const settings = { chatTemplateType: "concat" } as const;
  const proxy = await Proxy.start({ engine, model: { reasoningParser: "qwen3" }, settings, ...options });
  open.push(engine, proxy);
  return { proxy, session: await proxy.session() };
}

interface Started {
  readonly output?: readonly number[];
  readonly mode?: "raw_logprobs" | "processed_logprobs";
  readonly storage?: string;
  /** Every request gets the whole output: none is resumed. */
  readonly everyCall?: boolean;
}

async function startVllm({ output = FORCED, mode = "processed_logprobs", storage, everyCall }: Started = {}) {
  const server = await startVllmServer({
    reasoningParser: true,
    logprobsMode: mode,
    complete: everyCall ? () => output : completing(output),
    isForced: (id) => mode === "processed_logprobs" && END.includes(id),
  });
  open.push(server);
  const engine = createVllmEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 2 });
  return { server, ...(await startProxy(engine, storage === undefined ? {} : { storage: { directory: storage } })) };
}

async function startSglang({ output = FORCED }: Started = {}) {
  const server = await startSglangServer({
    serverInfo: { enable_strict_thinking: true, reasoning_parser: "qwen3" },
    complete: completing(output),
    isForced: (id) => END.includes(id),
  });
  open.push(server);
  const engine = createSglangEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 2 });
  return { server, ...(await startProxy(engine)) };
}

interface Asked {
  readonly budget?: number;
  readonly more?: object;
}

async function ask(proxy: Proxy<Engine>, session: StartedSession, { budget = 2, more = {} }: Asked = {}) {
  const reply = await proxy.chat(session, messages, { thinking_token_budget: budget, max_tokens: 9, ...more });
  expect(reply.status).toBe(200);
  return reply;
}

async function exportBatch(proxy: Proxy<Engine>, session: StartedSession, options: object = {}): Promise<SafeTensors> {
  await proxy.end(session);
  const reply = await proxy.post("/export_batch", { session_ids: [session.id], ...options });
  expect(reply.refusal).toBe("200");
  return readSafetensors(reply.raw);
}

/** The values of a row's last `count` tokens. */
const tail = ({ tensors }: SafeTensors, name: string, count: number) => [...(tensors[name]?.data ?? [])].slice(-count);

const maskOf = (batch: SafeTensors, count = FORCED.length) => tail(batch, "loss_mask", count);
const forcedOf = ({ tensors }: SafeTensors) => [...(tensors["row_forced_tokens"]?.data ?? [])];

describe.each(["padded", "packed", "tree"])("in layout %s", (layout) => {
  it.each(["individual", "concat"])("forced tokens are like those of a prompt: style %s", async (style) => {
    const { proxy, session } = await startVllm();
    await ask(proxy, session);
    const batch = await exportBatch(proxy, session, { layout, style, pad_side: "left" });
    expect(tail(batch, "input_ids", FORCED.length)).toEqual(FORCED);
    expect(maskOf(batch)).toEqual(FORCED_MASK);
    expect(tail(batch, "versions", FORCED.length)).toEqual([0, 0, 0, 0, -1, -1, -1, 0, 0]);
    const logprobs = tail(batch, "logprobs", FORCED.length);
    expect(logprobs.slice(4, 7)).toEqual([0, 0, 0]);
    expect(logprobs[3]).toBeLessThan(0);
    expect(forcedOf(batch)).toEqual([3]);
  });
});

describe.each<[string, (started?: Started) => Promise<{ proxy: Proxy<Engine>; session: StartedSession }>, number]>([
  ["vLLM", startVllm, 2],
  ["SGLang", startSglang, 4],
])("%s", (_, start, budget) => {
  it.each([false, true])("forces the end where the budget is used up: stream %s", async (stream) => {
    const { proxy, session } = await start();
    await ask(proxy, session, { budget, more: { stream } });
    const batch = await exportBatch(proxy, session);
    expect([maskOf(batch), forcedOf(batch)]).toEqual([FORCED_MASK, [3]]);
  });

  it("forces none if the model ends its reasoning within the budget, however certain it is", async () => {
    const { proxy, session } = await start();
    await ask(proxy, session, { budget: budget + 3 });
    const batch = await exportBatch(proxy, session);
    expect([maskOf(batch), forcedOf(batch)]).toEqual([FORCED.map(() => 1), [0]]);
  });

  it("forces none without a budget", async () => {
    const { proxy, session } = await start();
    await ask(proxy, session, { budget: -1 });
    expect(forcedOf(await exportBatch(proxy, session))).toEqual([0]);
  });

  it("reports the number in JSON", async () => {
    const { proxy, session } = await start();
    await ask(proxy, session, { budget });
    await proxy.end(session);
    const reply = await proxy.post("/export_trajectories", { session_id: session.id });
    const [interaction] = Object.values(reply.json<WireExport>().interactions);
    expect(interaction).toMatchObject({ forced_tokens: 3, completion_tokens: 9 });
    const mask = new Int32Array(
      new Uint8Array(Buffer.from(interaction?.tensor_dict["loss_mask"]?.data ?? "", "base64")).buffer,
    );
    expect([...mask].slice(-FORCED.length)).toEqual(FORCED_MASK);
  });
});

describe("log probabilities of the model", () => {
  it("show forced tokens by their ids", async () => {
    const { proxy, session } = await startVllm({ mode: "raw_logprobs" });
    await ask(proxy, session);
    const batch = await exportBatch(proxy, session);
    expect([maskOf(batch), forcedOf(batch)]).toEqual([FORCED_MASK, [3]]);
    // The engine reports the model's own log probability.
    expect(tail(batch, "logprobs", FORCED.length).slice(4, 7)).toEqual([0, 0, 0]);
  });
});

describe("several turns", () => {
  it("are counted together in a row of style concat", async () => {
    const { proxy, session } = await startVllm({ everyCall: true });
    const first = await ask(proxy, session, { more: { max_tokens: 20 } });
    const { choices } = first.json<{ choices: { message: object }[] }>();
    const history = [...messages, ...choices.map(({ message }) => message), { role: "user", content: "b" }];
    await proxy.chat(session, history, { thinking_token_budget: 2, max_tokens: 20 });
    const batch = await exportBatch(proxy, session, { style: "concat" });
    expect(forcedOf(batch)).toEqual([6]);
    expect(forcedOf(await exportBatch(proxy, session, { style: "individual" }))).toEqual([3, 3]);
  });
});

describe("a generation that a weight update cuts", () => {
  it("has forced tokens behind the cut, because SGLang gets the rest of the budget", async () => {
    const { server, proxy, session } = await startSglang();
    server.fault({ kind: "abort", after: 3 });
    const reply = await ask(proxy, session, { budget: 4 });
    expect(reply.headers["x-rolltape-not-enforced"]).toBeUndefined();
    const batch = await exportBatch(proxy, session);
    expect([maskOf(batch), forcedOf(batch)]).toEqual([FORCED_MASK, [3]]);
    const budgets = server.to("/generate").map(({ json }) => Object(json["sampling_params"]).custom_params);
    expect(budgets).toEqual([{ thinking_budget: 4 }, { thinking_budget: 1 }]);
  });

  it.each([8, 6])("keeps those before the cut at %i", async (after) => {
    const { server, proxy, session } = await startSglang();
    server.fault({ kind: "abort", after });
    const reply = await ask(proxy, session, { budget: 4 });
    expect(reply.headers["x-rolltape-not-enforced"]).toBeUndefined();
    const batch = await exportBatch(proxy, session);
    expect([maskOf(batch), forcedOf(batch)]).toEqual([FORCED_MASK, [3]]);
    const [, second] = server.to("/generate");
    expect(second?.json["require_reasoning"]).toBe(after === 8 ? undefined : true);
  });

  it("is followed across the cut on vLLM, which counts in prompt and output", async () => {
    const { server, proxy, session } = await startVllm();
    server.fault({ kind: "abort", after: 5 });
    await ask(proxy, session);
    const batch = await exportBatch(proxy, session);
    expect([maskOf(batch), forcedOf(batch)]).toEqual([FORCED_MASK, [3]]);
  });
});

describe("a restart", () => {
  it("keeps which tokens were forced", async () => {
    const directory = mkdtempSync(join(tmpdir(), "rolltape-forced-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const { proxy, session } = await startVllm({ storage: directory });
    await ask(proxy, session);
    await proxy.end(session);
    for (const item of open.splice(0).reverse()) await item.close();
    const again = await Proxy.start({ model: { reasoningParser: "qwen3" }, storage: { directory } });
    open.push(again);
    const batch = readSafetensors((await again.post("/export_batch", { session_ids: [session.id] })).raw);
    expect([maskOf(batch), forcedOf(batch)]).toEqual([FORCED_MASK, [3]]);
  });
});
