import { afterEach, describe, expect, it } from "vitest";
import type { Engine } from "../../../src/engine/engine.js";
import { createSglangEngine } from "../../../src/engine/sglang/create-sglang-engine.js";
import { type SglangServer, startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { makeCall, makePrompt } from "../generate-call.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

async function start(): Promise<{ server: SglangServer; engine: Engine }> {
  const server = await startSglangServer();
  const engine = createSglangEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 8 });
  open.push(server, engine);
  return { server, engine };
}

const streamed = (sampling = {}) => makeCall(makePrompt(5), sampling, { onTokens: () => undefined });

/** The message of a request that a pause removes while its grammar is compiled. */
const REMOVED = "Aborted by AbortReq.";

describe("a request that SGLang refuses in a stream", () => {
  it("is rejected with the engine's message", async () => {
    const { server, engine } = await start();
    server.fault({ kind: "bad-grammar", message: "Failed to compile regex grammar: parsing error" });
    const call = streamed({ grammar: { kind: "regex", pattern: "((" } });
    const failed = engine.generate(call);
    await expect(failed).rejects.toMatchObject({ code: "engine_rejected_request" });
    await expect(failed).rejects.toThrow("Failed to compile regex grammar");
    expect([call.generation.length, server.to("/generate").length]).toEqual([0, 1]);
  });
});

describe("a request whose grammar is being compiled when a pause removes it", () => {
  const grammar = { kind: "regex", pattern: "[a-z]+" } as const;

  it("is sent again, streamed", async () => {
    const { server, engine } = await start();
    server.fault({ kind: "bad-grammar", message: REMOVED });
    const call = streamed({ grammar, maxTokens: 6 });
    expect(await engine.generate(call)).toMatchObject({ resumes: 1 });
    expect(call.generation.length).toBe(6);
  });

  it("is sent again, not streamed", async () => {
    const { server, engine } = await start();
    server.fault({ kind: "bad-grammar", message: REMOVED });
    const call = makeCall(makePrompt(5), { grammar, maxTokens: 6 });
    expect(await engine.generate(call)).toMatchObject({ resumes: 1 });
    expect(call.generation.length).toBe(6);
  });
});
