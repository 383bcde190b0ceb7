import { afterEach, describe, expect, it } from "vitest";
import type { Engine, GenerateCall, GenerateResult } from "../../src/engine/engine.js";
import { createSglangEngine, createVllmEngine } from "../../src/engine/index.js";
import type { AbortSource } from "../../src/support/async/abort-source.js";
import { Proxy, type Reply, type StartedSession } from "../helpers/proxy.js";
import { ScriptedEngine } from "../helpers/scripted-engine.js";
import { startSglangServer } from "../helpers/sglang/sglang-server.js";
import { startVllmServer } from "../helpers/vllm/vllm-server.js";

/** Budgets for the reasoning: enforced by engines that can, and otherwise told in a header. */

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

/** An engine that does not enforce budgets. */
class UnboundEngine extends ScriptedEngine {
  override generate(call: GenerateCall, abort?: AbortSource): Promise<GenerateResult> {
    if (call.sampling.thinkingBudget !== undefined) call.onIgnored?.("thinkingBudget");
    return super.generate(call, abort);
  }
}

async function start<E extends Engine>(engine: E): Promise<{ proxy: Proxy<E>; session: StartedSession }> {
  const proxy = await Proxy.start({ engine, model: { reasoningParser: "qwen3" } });
  open.push(engine, proxy);
  return { proxy, session: await proxy.session() };
}

const messages = [{ role: "user", content: "a" }];
const contents = [{ role: "user", parts: [{ text: "a" }] }];
const GEMINI = "/v1beta/models/tiny:generateContent";

const REQUESTS: [path: string, body: object, param: string, tokens: number][] = [
  ["/v1/chat/completions", { messages, thinking_token_budget: 64 }, "thinking_token_budget", 64],
  ["/v1/responses", { input: "a", thinking_token_budget: 0 }, "thinking_token_budget", 0],
  [
    "/v1/messages",
    { messages, max_tokens: 4000, thinking: { type: "enabled", budget_tokens: 2048 } },
    "thinking.budget_tokens",
    2048,
  ],
  [
    GEMINI,
    { contents, generationConfig: { thinkingConfig: { thinkingBudget: 128 } } },
    "generationConfig.thinkingConfig.thinkingBudget",
    128,
  ],
];

const unenforced = (reply: Reply) => [reply.status, reply.headers["x-rolltape-not-enforced"]];

const budgetOf = ({ context }: Pick<Proxy, "context">, { id }: StartedSession, index = 0) =>
  context.registry.get(id).interaction(index).sampling?.thinkingBudget;

describe.each(REQUESTS)("%s", (path, body, param, tokens) => {
  it("passes the budget to the engine and records it", async () => {
    const { proxy, session } = await start(new ScriptedEngine());
    expect(unenforced(await proxy.post(path, body, session.key))).toEqual([200, undefined]);
    expect(proxy.engine.calls[0]?.sampling.thinkingBudget).toBe(tokens);
    expect(budgetOf(proxy, session)).toBe(tokens);
  });

  it("names the field in a header if the engine does not enforce it, streamed or not, and records none", async () => {
    const { proxy, session } = await start(new UnboundEngine());
    const isGemini = path === GEMINI;
    const streamPath = isGemini ? GEMINI.replace(":g", ":streamG") : path;
    const streamed = isGemini ? body : { ...body, stream: true };
    expect(unenforced(await proxy.post(path, body, session.key))).toEqual([200, param]);
    expect(unenforced(await proxy.post(streamPath, streamed, session.key))).toEqual([200, param]);
    expect([0, 1].map((index) => budgetOf(proxy, session, index))).toEqual([undefined, undefined]);
  });
});

describe("no budget", () => {
  it.each<[string, object]>([
    ["/v1/chat/completions", { messages, thinking_token_budget: -1 }],
    [GEMINI, { contents, generationConfig: { thinkingConfig: { thinkingBudget: -1 } } }],
    [GEMINI, { contents, generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }],
    ["/v1/messages", { messages, max_tokens: 4000, thinking: { type: "adaptive" } }],
  ])("is set by %s %j", async (path, body) => {
    const { proxy, session } = await start(new UnboundEngine());
    expect(unenforced(await proxy.post(path, body, session.key))).toEqual([200, undefined]);
    expect(proxy.engine.calls[0]?.sampling.thinkingBudget).toBeUndefined();
  });
});

describe("a prompt whose answer has no reasoning", () => {
  it("because it begins the answer gets no budget, and no header", async () => {
    const { proxy, session } = await start(new UnboundEngine());
    const begun = [...messages, { role: "assistant", content: "So" }];
    const reply = await proxy.chat(session, begun, { continue_final_message: true, thinking_token_budget: 5 });
    expect(unenforced(reply)).toEqual([200, undefined]);
    expect(proxy.engine.calls[0]?.sampling.thinkingBudget).toBeUndefined();
  });

  it("is recognized by the end of the reasoning", async () => {
    const { proxy } = await start(new UnboundEngine());
    const { model } = proxy.context;
    expect(model.hasEndedReasoning("<|im_start|>assistant\n<think>\n\n</think>\n\n")).toBe(true);
    expect(model.hasEndedReasoning("<|im_start|>assistant\n<think>\n")).toBe(false);
    expect(model.hasEndedReasoning("<|im_start|>assistant\n")).toBe(false);
  });
});

describe("vLLM", () => {
  it("refuses the budgets of several answers at once without an error", async () => {
    const server = await startVllmServer();
    open.push(server);
    const engine = createVllmEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 8 });
    const { proxy, session } = await start(engine);
    const reply = await proxy.chat(session, messages, { thinking_token_budget: 5, n: 4 });
    expect(unenforced(reply)).toEqual([200, "thinking_token_budget"]);
  });

  it("enforces budgets if it was started with a reasoning parser", async () => {
    const server = await startVllmServer({ reasoningParser: true });
    open.push(server);
    const engine = createVllmEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 2 });
    const { proxy, session } = await start(engine);
    const reply = await proxy.chat(session, messages, { thinking_token_budget: 5 });
    expect(unenforced(reply)).toEqual([200, undefined]);
    const [request] = server.to("/inference/v1/generate");
    expect(Object(request?.json["sampling_params"]).thinking_token_budget).toBe(5);
    expect(budgetOf(proxy, session)).toBe(5);
  });

  it.each([true, false])("without one gets the request again without the budget (scale-out: %s)", async (scaleOut) => {
    const server = await startVllmServer({ scaleOut });
    open.push(server);
    const engine = createVllmEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 2 });
    const { proxy, session } = await start(engine);
    const ask = () => proxy.chat(session, messages, { thinking_token_budget: 5, stream: true });
    expect(unenforced(await ask())).toEqual([200, "thinking_token_budget"]);
    const path = scaleOut ? "/inference/v1/generate" : "/v1/completions";
    expect(server.to(path)).toHaveLength(2);
    expect(unenforced(await ask())).toEqual([200, "thinking_token_budget"]);
    expect(server.to(path)).toHaveLength(3);
    expect(budgetOf(proxy, session, 1)).toBeUndefined();
  });
});

describe("SGLang", () => {
  const startSglang = async (serverInfo: object) => {
    const server = await startSglangServer({ serverInfo: { ...serverInfo } });
    open.push(server);
    const engine = createSglangEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 2 });
    return { server, ...(await start(engine)) };
  };
  const STRICT = { enable_strict_thinking: true, reasoning_parser: "qwen3" };

  it("enforces budgets if it was started with strict thinking", async () => {
    const { server, proxy, session } = await startSglang(STRICT);
    const reply = await proxy.chat(session, messages, { thinking_token_budget: 5 });
    expect(unenforced(reply)).toEqual([200, undefined]);
    const [request] = server.to("/generate");
    expect(request?.json).toMatchObject({
      require_reasoning: true,
      sampling_params: { custom_params: { thinking_budget: 5 } },
    });
    expect(budgetOf(proxy, session)).toBe(5);
  });

  it.each<object>([{}, { enable_strict_thinking: true, reasoning_parser: null }, { enable_strict_thinking: false }])(
    "started with %j gets no budget",
    async (serverInfo) => {
      const { server, proxy, session } = await startSglang(serverInfo);
      const reply = await proxy.chat(session, messages, { thinking_token_budget: 5 });
      expect(unenforced(reply)).toEqual([200, "thinking_token_budget"]);
      const [request] = server.to("/generate");
      expect(request?.json).not.toHaveProperty("require_reasoning");
      expect(Object(request?.json["sampling_params"])).not.toHaveProperty("custom_params");
      expect(budgetOf(proxy, session)).toBeUndefined();
    },
  );

  it("gets no budget together with a grammar, which it would apply only behind the reasoning", async () => {
    const { proxy, session } = await startSglang(STRICT);
    const format = { response_format: { type: "json_object" } };
    const reply = await proxy.chat(session, messages, { thinking_token_budget: 5, ...format });
    expect(unenforced(reply)).toEqual([200, "thinking_token_budget"]);
  });

  it("gets the rest of the budget once a weight update has cut the generation", async () => {
    const { server, proxy, session } = await startSglang(STRICT);
    server.fault({ kind: "abort", after: 2 });
    const reply = await proxy.chat(session, messages, { thinking_token_budget: 5, max_tokens: 6 });
    expect(unenforced(reply)).toEqual([200, undefined]);
    const requests = server.to("/generate").map(({ json }) => json);
    expect(requests.map((json) => json["require_reasoning"])).toEqual([true, true]);
    expect(requests.map((json) => Object(json["sampling_params"]).custom_params)).toEqual([
      { thinking_budget: 5 },
      { thinking_budget: 3 },
    ]);
    expect(budgetOf(proxy, session)).toBe(5);
  });
});
