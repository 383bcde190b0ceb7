import { afterEach, describe, expect, it } from "vitest";
import type { Engine } from "../../../src/engine/engine.js";
import { createSglangEngine } from "../../../src/engine/sglang/create-sglang-engine.js";
import { createVllmEngine } from "../../../src/engine/vllm/create-vllm-engine.js";
import type { Fault } from "../../helpers/sglang/protocol.js";
import { startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { startVllmServer } from "../../helpers/vllm/vllm-server.js";
import { makeCall } from "../generate-call.js";

/** Engines send errors in replies whose status 200 has gone out: `data: {"error":{"message":…,"code":400}}`. */

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

const ENGINES = {
  sglang: { start: startSglangServer, create: createSglangEngine, path: "/generate" },
  vllm: { start: startVllmServer, create: createVllmEngine, path: "/inference/v1/generate" },
} as const;

/** Starts an engine of two servers, of which the first that gets a request answers with `fault`. */
async function start(name: keyof typeof ENGINES, fault: Fault): Promise<{ engine: Engine; requests: () => number }> {
  const { start: startServer, create, path } = ENGINES[name];
  const servers = [await startServer(), await startServer()];
  const engine = create({ urls: servers.map(({ url }) => url), timeoutSeconds: 0, maxInflight: 4, healthSeconds: 0 });
  open.push(...servers, engine);
  // The session's own server is the one that a first call reaches.
  await engine.generate(makeCall([1]));
  servers.find((server) => server.to(path).length > 0)?.fault(fault);
  return { engine, requests: () => servers.reduce((sum, server) => sum + server.to(path).length, 0) - 1 };
}

const inStream = (frames: number, code?: number): Fault => ({
  kind: "error-in-stream",
  frames,
  message: "no room",
  ...(code !== undefined && { code }),
});

describe.each(["vllm", "sglang"] as const)("an error in a stream of %s", (name) => {
  it.each([400, 422])("with code %d rejects the request", async (code) => {
    const { engine, requests } = await start(name, inStream(0, code));
    const failed = engine.generate(makeCall([1], {}, { onTokens: () => undefined }));
    await expect(failed).rejects.toMatchObject({ code: "engine_rejected_request" });
    await expect(failed).rejects.toThrow(`(${code}): no room`);
    expect(requests()).toBe(1);
  });

  it("with code 503 before the first token sends the request to another server", async () => {
    const { engine, requests } = await start(name, inStream(0, 503));
    const call = makeCall([1], { maxTokens: 5 }, { onTokens: () => undefined });
    expect(await engine.generate(call)).toMatchObject({ finish: { reason: "length" } });
    expect(requests()).toBe(2);
  });

  it.each([
    ["code 503 after a token", inStream(1, 503)],
    ["code 500", inStream(0, 500)],
    ["no code", inStream(0)],
  ])("with %s fails the call as engine_error without a second request", async (_, fault) => {
    const { engine, requests } = await start(name, fault);
    const failed = engine.generate(makeCall([1], {}, { onTokens: () => undefined }));
    await expect(failed).rejects.toMatchObject({ code: "engine_error" });
    await expect(failed).rejects.toThrow("no room");
    expect(requests()).toBe(1);
  });
});

describe.each(["vllm", "sglang"] as const)("an error in a whole reply of %s with status 200", (name) => {
  const bodies = (code: number) => [
    { error: { message: "no room", type: "BadRequestError", code } },
    { object: "error", message: "no room", code },
  ];

  it.each(bodies(400))("rejects the request if its code is 400: %o", async (body) => {
    const { engine, requests } = await start(name, { kind: "reply", body });
    const failed = engine.generate(makeCall([1]));
    await expect(failed).rejects.toMatchObject({ code: "engine_rejected_request" });
    await expect(failed).rejects.toThrow("(400): no room");
    expect(requests()).toBe(1);
  });

  it("is not looked for in a reply that can be read, or in one that is longer than an error", async () => {
    const error = { message: "no room", code: 400 };
    const whole = name === "sglang" ? { output_ids: [7], meta_info: {} } : { choices: [{ token_ids: [7] }] };
    const unequal = await start(name, { kind: "reply", body: { ...whole, error } });
    const failed = unequal.engine.generate(makeCall([1]));
    await expect(failed).rejects.toMatchObject({ code: "engine_error" });
    await expect(failed).rejects.toThrow(/malformed|do not agree/);
    const long = await start(name, { kind: "reply", body: { error, x: "x".repeat(64 * 1024) } });
    await expect(long.engine.generate(makeCall([1]))).rejects.toThrow("malformed");
  });

  it.each(bodies(503))("sends the request to another server if its code is 503: %o", async (body) => {
    const { engine, requests } = await start(name, { kind: "reply", body });
    expect(await engine.generate(makeCall([1], { maxTokens: 5 }))).toMatchObject({ finish: { reason: "length" } });
    expect(requests()).toBe(2);
  });
});
