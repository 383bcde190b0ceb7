import { expect, onTestFinished, test } from "vitest";
import type { Engine } from "../../src/engine/engine.js";
import { createSglangEngine, createVllmEngine } from "../../src/engine/index.js";
import type { RecordedExperts } from "../../src/engine/servers/engine-server-options.js";
import type { ServerSettings } from "../../src/server/settings.js";
import { Proxy } from "../helpers/proxy.js";
import { EXPERT_MODEL, expertsOf, npyExperts } from "../helpers/routed-experts.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { startSglangServer } from "../helpers/sglang/sglang-server.js";
import { startVllmServer } from "../helpers/vllm/vllm-server.js";

/** The experts of each token, from an engine's reply to the batch. */

interface Started {
  readonly proxy: Proxy<Engine>;
  readonly server: Awaited<ReturnType<typeof startVllmServer>> | Awaited<ReturnType<typeof startSglangServer>>;
  /** First tokens whose rows the requests asked for. */
  readonly starts: () => unknown[];
  readonly warnings: string[];
}

type Model = Started & { readonly model: RecordedExperts };

const FEW = { ...EXPERT_MODEL, experts: 200 };

async function startVllm(model: RecordedExperts = EXPERT_MODEL, hasFlag = true): Promise<Model> {
  const server = await startVllmServer(hasFlag ? { experts: model } : {});
  const warnings: string[] = [];
  const onWarning = (text: string) => void warnings.push(text);
  const options = { urls: [server.url], timeoutSeconds: 0, maxInflight: 4, routedExperts: model, onWarning };
  const proxy = await startProxy(createVllmEngine(options), server);
  const starts = () =>
    server.to("/inference/v1/generate").flatMap(({ json }) => {
      // Probes of the log probabilities ask for none.
      const { routed_experts_prompt_start: start } = json["sampling_params"] as Record<string, unknown>;
      return start === undefined ? [] : [start];
    });
  return { proxy, server, starts, warnings, model };
}

async function startSglang(model: RecordedExperts = EXPERT_MODEL, allExperts = false): Promise<Model> {
  const server = await startSglangServer({ experts: model, allExperts });
  const warnings: string[] = [];
  const onWarning = (text: string) => void warnings.push(text);
  const options = { urls: [server.url], timeoutSeconds: 0, maxInflight: 4, routedExperts: model, onWarning };
  const proxy = await startProxy(createSglangEngine(options), server);
  const starts = () => server.to("/generate").map(({ json }) => json["routed_experts_start_len"]);
  return { proxy, server, starts, warnings, model };
}

async function startProxy(
  engine: Engine,
  server: { close(): Promise<void> },
  settings: Partial<ServerSettings> = {},
): Promise<Proxy<Engine>> {
  const proxy = await Proxy.start({ engine, settings: { chatTemplateType: "concat", ...settings } });
  onTestFinished(async () => {
    await proxy.close();
    await engine.close();
    await server.close();
  });
  return proxy;
}

const user = (content: string) => ({ role: "user", content });

/** Records three turns, one of them streamed and one of them cut, a branch of the first turn, and two choices. */
async function recordTree({ proxy, server }: Started): Promise<string> {
  const session = await proxy.session();
  const first = await proxy.turn(session, [user("one")]);
  const second = await proxy.turn(session, [...first.messages, user("two")]);
  server.fault({ kind: "abort", after: 3 });
  await proxy.turn(session, [...second.messages, user("three")]);
  await proxy.chat(session, [...first.messages, user("streamed")], { stream: true });
  await proxy.chat(session, [...first.messages, user("twice")], { n: 2 });
  await proxy.end(session);
  return session.id;
}

async function exportTensors(proxy: Proxy<Engine>, session_id: string, options: object) {
  const reply = await proxy.post("/export_batch", { session_ids: [session_id], ...options });
  expect(reply.refusal).toBe("200");
  return readSafetensors(reply.raw);
}

const STARTS: [string, () => Promise<Model>][] = [
  ["vLLM", () => startVllm()],
  ["vLLM, experts of one byte", () => startVllm(FEW)],
  ["SGLang", () => startSglang()],
  ["SGLang, experts of one byte", () => startSglang(FEW)],
  ["an SGLang that returns all rows", () => startSglang(EXPERT_MODEL, true)],
];

test.each(STARTS)("every token but the last of a sequence has its experts: %s", async (_, start) => {
  const started = await start();
  const id = await recordTree(started);
  const { tensors } = await exportTensors(started.proxy, id, { layout: "packed", style: "individual" });
  const [experts, mask, ids, positions, ends] = [
    "routed_experts",
    "routed_experts_mask",
    "input_ids",
    "position_ids",
    "cu_seqlens",
  ].map((name) => tensors[name]?.data ?? []);
  expect(tensors["routed_experts"]).toMatchObject({
    dtype: started.model.experts > 256 ? "U16" : "U8",
    shape: [ids?.length, 3, 2],
  });
  ids?.forEach((token, i) => {
    const isLast = ends?.includes(i + 1) ?? false;
    const wanted = isLast ? Array<number>(6).fill(0) : expertsOf(started.model, token, positions?.[i] ?? -1);
    expect([experts?.slice(i * 6, i * 6 + 6), mask?.[i]]).toEqual([wanted, isLast ? 0 : 1]);
  });
  expect(started.warnings).toEqual([]);
});

test.each(STARTS)("a request asks only for rows that the conversation does not have: %s", async (_, start) => {
  const started = await start();
  const { proxy } = started;
  const session = await proxy.session();
  const first = await proxy.turn(session, [user("one")]);
  await proxy.turn(session, [...first.messages, user("two")]);
  await proxy.end(session);
  const { tensors } = await exportTensors(proxy, session.id, { layout: "packed", style: "individual" });
  const [, firstEnd = 0] = tensors["cu_seqlens"]?.data ?? [];
  // The model did not run on the last token of the first turn.
  expect(started.starts()).toEqual([0, firstEnd - 1]);
});

test("a server that returns none is named once, and its tokens are recorded without experts", async () => {
  const started = await startVllm(EXPERT_MODEL, false);
  const { proxy, warnings, server } = started;
  const id = await recordTree(started);
  expect(warnings).toEqual([
    `${server.url} sends no routed experts, so its tokens are recorded without them: start it with ` +
      "`--enable-return-routed-experts`, or set `engine.routed_experts=false`.",
  ]);
  const { tensors } = await exportTensors(proxy, id, { layout: "packed", style: "individual" });
  expect(tensors["routed_experts"]).toBeUndefined();
});

test("experts of another model end the call with an error that says so", async () => {
  const server = await startVllmServer({ experts: { ...EXPERT_MODEL, layers: 4 } });
  const options = { urls: [server.url], timeoutSeconds: 0, maxInflight: 4, routedExperts: EXPERT_MODEL };
  const proxy = await startProxy(createVllmEngine(options), server);
  const session = await proxy.session();
  const reply = await proxy.chat(session, [user("one")]);
  expect(reply.refusal).toBe("502 engine_error");
  expect(reply.error.message).toContain("4 layers of 2 experts, but the model has 3 of 2");
});

test("a session can be started without them", async () => {
  const started = await startVllm();
  const { proxy } = started;
  const session = await proxy.session({ without_channels: ["routed_experts"] });
  await proxy.turn(session, [user("one")]);
  await proxy.end(session);
  expect(started.starts()).toEqual([]);
  const { tensors } = await exportTensors(proxy, session.id, { layout: "packed" });
  expect(tensors["routed_experts"]).toBeUndefined();
  const { sessions } = (await proxy.request({ method: "GET", url: "/rl/sessions" })).json<{
    sessions: { without_channels: string[] }[];
  }>();
  expect(sessions.map(({ without_channels }) => without_channels)).toEqual([["routed_experts"]]);
});

test("a batch names the layers that have experts", async () => {
  const started = await startSglang({ ...EXPERT_MODEL, moeLayers: [1, 2] });
  const id = await recordTree(started);
  const { metadata } = await exportTensors(started.proxy, id, { layout: "packed" });
  expect(metadata["moe_layers"]).toBe("[1,2]");
});

test("a call whose experts have no room in memory is refused before it runs", async () => {
  // 64 KiB a token.
  const model = { layers: 64, topK: 512, experts: 512 };
  const server = await startVllmServer({ experts: model });
  const options = { urls: [server.url], timeoutSeconds: 0, maxInflight: 4, routedExperts: model };
  const store = { bytes: 1_000_000, highWater: 1 };
  const proxy = await startProxy(createVllmEngine(options), server, { store });
  const session = await proxy.session();
  const reply = await proxy.chat(session, [user("a question of more than sixteen tokens")]);
  expect(reply.refusal).toBe("503 store_full");
  expect(server.to("/inference/v1/generate")).toEqual([]);
});

/** The fields of an answer to a request with `return_routed_experts` and `return_token_ids`. */
interface Answered {
  readonly choices: readonly { readonly token_ids?: readonly number[]; readonly routed_experts?: string | null }[];
  readonly prompt_token_ids?: readonly number[];
}

test.each(STARTS)("an answer has the experts if the request asks for them: %s", async (_, start) => {
  const { proxy, model } = await start();
  const session = await proxy.session();
  const asked = { return_routed_experts: true, return_token_ids: true };
  const expected = (prompt: readonly number[], ids: readonly number[] = []) =>
    npyExperts(model, [...prompt, ...ids], 0);

  const first = await proxy.turn(session, [user("one")]);
  const messages = [...first.messages, user("two")];
  const twice = await proxy.chat(session, messages, { ...asked, n: 2 });
  const { choices, prompt_token_ids: prompt = [] } = twice.json<Answered>();
  expect(choices.map((choice) => choice.routed_experts)).toEqual(
    choices.map(({ token_ids }) => expected(prompt, token_ids)),
  );

  const { raw } = await proxy.chat(session, [...messages, user("streamed")], { ...asked, stream: true });
  const chunks = raw
    .toString()
    .split("\n\n")
    .filter((event) => event.startsWith("data: {"))
    .map((event) => JSON.parse(event.slice(6)) as Answered);
  const ids = chunks.flatMap((chunk) => chunk.choices[0]?.token_ids ?? []);
  const streamed = chunks.flatMap((chunk) => chunk.choices[0]?.routed_experts ?? []);
  expect(streamed).toEqual([expected(chunks[0]?.prompt_token_ids ?? [], ids)]);

  const completed = await proxy.post("/v1/completions", { prompt: [5, 6, 7], max_tokens: 4, ...asked }, session.key);
  const [completion] = completed.json<Answered>().choices;
  expect(completion?.routed_experts).toBe(expected([5, 6, 7], completion?.token_ids));
  const generate = { token_ids: [5, 6, 7], sampling_params: { max_tokens: 4 }, return_routed_experts: true };
  const generated = await proxy.post("/inference/v1/generate", generate, session.key);
  const [choice] = generated.json<Answered>().choices;
  expect(choice?.routed_experts).toBe(expected([5, 6, 7], choice?.token_ids));

  const plain = await proxy.chat(session, messages);
  expect(plain.json()).not.toHaveProperty("choices[0].routed_experts");
});

test("an answer without all experts has none, and requests are refused where none are recorded", async () => {
  const asked = { return_routed_experts: true };
  const { proxy } = await startVllm(EXPERT_MODEL, false);
  const session = await proxy.session();
  const answer = await proxy.chat(session, [user("one")], asked);
  expect(answer.json()).toHaveProperty("choices[0].routed_experts", null);
  const refused = await proxy.post("/v1/responses", { input: "one", ...asked }, session.key);
  expect([refused.status, refused.raw.toString()]).toEqual([400, expect.stringContaining("use chat completions")]);

  const without = await proxy.session({ without_channels: ["routed_experts"] });
  const left = await proxy.chat(without, [user("one")], asked);
  expect([left.refusal, left.raw.toString()]).toEqual([
    "400 unsupported_parameter",
    expect.stringContaining("started without them"),
  ]);

  const plain = await Proxy.start();
  onTestFinished(() => plain.close());
  const off = await plain.chat(await plain.session(), [user("one")], asked);
  expect([off.refusal, off.raw.toString()]).toEqual([
    "400 unsupported_parameter",
    expect.stringContaining("engine.routed_experts=true"),
  ]);
});
