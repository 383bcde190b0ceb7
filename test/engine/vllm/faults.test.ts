import { afterEach, describe, expect, it } from "vitest";
import { createVllmEngine } from "../../../src/engine/vllm/create-vllm-engine.js";
import type { Fault } from "../../helpers/sglang/protocol.js";
import { startVllmServer } from "../../helpers/vllm/vllm-server.js";
import { makeCall, makePrompt } from "../generate-call.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

const CHOICE = { index: 0, finish_reason: "length", token_ids: [7, 8] };
const CONTENT = [
  { token_id: 7, logprob: -0.5 },
  { token_id: 8, logprob: -0.25 },
];

function reply(choice: object, usage: object = {}): Fault {
  const body = { choices: [{ ...CHOICE, logprobs: { content: CONTENT }, ...choice }], usage };
  return { kind: "reply", body };
}

const ALWAYS: [string, Fault, string][] = [
  ["HTTP 500", { kind: "status", status: 500, body: { error: { message: "EngineCore died" } } }, "EngineCore died"],
  ["HTTP 400", { kind: "status", status: 400, body: { error: { message: "no" } } }, "HTTP 400: no"],
  ["a connection closed before the reply", { kind: "close-before-headers" }, "closed the connection"],
  ["a connection closed in the reply", { kind: "close-after-headers" }, "closed the connection"],
  ["one log probability too few", { kind: "length-mismatch" }, "do not agree"],
  ["NaN", { kind: "bad-logprob", text: "NaN" }, "not a finite number"],
  ["null", { kind: "bad-logprob", text: "null", index: 3 }, "not a finite number"],
  ["an infinite one", { kind: "bad-logprob", text: "1e999", index: 2 }, "not a finite number"],
];
const WHOLE: [string, Fault, string][] = [
  ["truncated JSON", { kind: "truncated-json" }, "malformed"],
  ["no choice", { kind: "reply", body: { choices: [] } }, "malformed"],
  ["two choices", { kind: "reply", body: { choices: [CHOICE, CHOICE] } }, "malformed"],
  ["no log probabilities", reply({ logprobs: null }), "do not agree"],
  ["no ids", reply({ token_ids: undefined }), "do not agree"],
  ["ids that differ from those of the log probabilities", reply({ token_ids: [8, 7] }), "do not agree"],
  ["another number of completion tokens", reply({}, { completion_tokens: 3 }), "do not agree"],
  ["a truncated prompt", reply({}, { prompt_tokens: 7 }), "prompt tokens"],
  ["an unknown finish reason", reply({ finish_reason: "tired" }), "why the generation ended"],
  ["no token at all", reply({ token_ids: [], logprobs: null, finish_reason: "stop" }), "no tokens"],
];
const STREAMED: [string, Fault, string][] = [
  ["a connection lost", { kind: "close-in-stream", frames: 3 }, "closed the connection"],
  ["an early end", { kind: "end-in-stream", frames: 3 }, "malformed"],
  ["an error", { kind: "error-in-stream", frames: 2, message: "out of memory" }, "out of memory"],
];

const cases = [
  ...[...ALWAYS, ...WHOLE].map(([name, fault, message]) => ({ name, fault, message, streams: false })),
  ...[...ALWAYS, ...STREAMED].map(([name, fault, message]) => ({ name, fault, message, streams: true })),
];

describe.each([true, false])("vLLM, /inference/v1/generate: %s", (scaleOut) => {
  it.each(cases)("fails the call without a second request: $name, streamed: $streams", async (example) => {
    const server = await startVllmServer({ scaleOut });
    const api = scaleOut ? "generate" : "completions";
    const engine = createVllmEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 4, api });
    open.push(server, engine);
    server.fault(example.fault);
    const rest = example.streams ? { onTokens: () => undefined } : {};
    const failed = engine.generate(makeCall(makePrompt(20), {}, rest));
    await expect(failed).rejects.toMatchObject({ name: "EngineError" });
    await expect(failed).rejects.toThrow(example.message);
    expect(server.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    await expect(engine.generate(makeCall([1], {}, rest))).resolves.toMatchObject({ resumes: 0 });
  });
});

describe("a stream that ends without a finish reason", () => {
  it("fails the call if a stop string may have ended it", async () => {
    const server = await startVllmServer({ skipsEmptyFrames: true });
    const engine = createVllmEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 4 });
    open.push(server, engine);
    server.fault({ kind: "abort", after: 2 });
    const call = makeCall([1], { stop: ["END"] }, { onTokens: () => undefined });
    await expect(engine.generate(call)).rejects.toThrow("why the generation ended");
  });
});
