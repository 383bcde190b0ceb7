import { afterEach, describe, expect, it } from "vitest";
import { createSglangEngine } from "../../../src/engine/sglang/create-sglang-engine.js";
import type { SglangOptions } from "../../../src/engine/sglang/sglang-options.js";
import { type SglangServer, type SglangServerOptions, startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { makeCall } from "../generate-call.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

async function startPair(serverOptions: SglangServerOptions = {}, options: Partial<SglangOptions> = {}) {
  const servers = [await startSglangServer(serverOptions), await startSglangServer(serverOptions)];
  const urls = servers.map(({ url }) => url);
  const engine = createSglangEngine({ urls, timeoutSeconds: 0, maxInflight: 4, healthSeconds: 0.02, ...options });
  open.push(...servers, engine);
  const states = () => engine.servers?.list().map(({ state }) => state);
  return { servers, engine, states };
}

const listChecks = (servers: readonly SglangServer[], path: string) =>
  servers.reduce((sum, server) => sum + server.to(path).length, 0);

describe("a health check of SGLang servers", () => {
  it("generates nothing", async () => {
    const { servers, engine } = await startPair();
    await engine.health();
    await expect.poll(() => listChecks(servers, "/model_info")).toBeGreaterThan(3);
    expect(listChecks(servers, "/health") + listChecks(servers, "/health_generate")).toBe(0);
  });

  it.each([
    [["/model_info"], "/get_model_info"],
    [["/model_info", "/get_model_info"], "/health"],
  ])("uses the next endpoint if %o is missing", async (missingPaths, path) => {
    const { servers, engine, states } = await startPair({ missingPaths });
    await engine.health();
    await expect.poll(() => listChecks(servers, path)).toBeGreaterThan(3);
    expect(states()).toEqual(["up", "up"]);
  });

  it("is not made during a pause by this proxy; the servers stay up and the engine ready", async () => {
    const { servers, engine, states } = await startPair();
    await engine.servers?.pause("abort");
    const asked = listChecks(servers, "/model_info");
    // The checks of another engine with the same interval show when enough time has passed.
    const other = await startPair();
    await expect.poll(() => listChecks(other.servers, "/model_info")).toBeGreaterThan(10);
    expect(listChecks(servers, "/model_info")).toBe(asked);
    await expect(engine.health()).resolves.toBeUndefined();
    expect(states()).toEqual(["up", "up"]);
    await engine.servers?.resume();
    await expect.poll(() => listChecks(servers, "/model_info")).toBeGreaterThan(asked + 1);
    expect(states()).toEqual(["up", "up"]);
  });

  it("succeeds while another process has paused the servers", async () => {
    const { servers, engine, states } = await startPair();
    for (const { scheduler } of servers) scheduler.pause("in_place");
    const asked = listChecks(servers, "/model_info");
    await expect.poll(() => listChecks(servers, "/model_info")).toBeGreaterThan(asked + 5);
    await expect(engine.health()).resolves.toBeUndefined();
    expect(states()).toEqual(["up", "up"]);
  });
});

describe("servers with an admin key", () => {
  const keys = { apiKey: "sk-engine", adminApiKey: "sk-admin" };

  it("get it with pauses, resumes and aborts, but not with generations", async () => {
    const { servers, engine } = await startPair({ ...keys, tokenMilliseconds: 5 }, keys);
    await engine.servers?.pause("abort");
    await engine.servers?.resume();
    const controller = new AbortController();
    const leaving = engine.generate(makeCall([1], { maxTokens: 100 }), controller.signal);
    await expect.poll(() => listChecks(servers, "/generate")).toBe(1);
    controller.abort(new Error("left"));
    await expect(leaving).rejects.toThrow("left");
    await expect.poll(() => servers.flatMap((server) => server.to("/abort_request"))).toHaveLength(1);
    const [aborted] = servers.flatMap((server) => server.to("/abort_request"));
    const [generated] = servers.flatMap((server) => server.to("/generate"));
    expect([aborted?.headers.authorization, generated?.headers.authorization]).toEqual([
      "Bearer sk-admin",
      "Bearer sk-engine",
    ]);
  });

  it("cause one warning if they refuse aborts", async () => {
    const warnings: string[] = [];
    const onWarning = (message: string) => void warnings.push(message);
    const { servers, engine } = await startPair({ ...keys, tokenMilliseconds: 5 }, { apiKey: keys.apiKey, onWarning });
    for (let n = 1; n <= 2; n++) {
      const controller = new AbortController();
      const leaving = engine.generate(makeCall([1], { maxTokens: 100 }), controller.signal);
      await expect.poll(() => listChecks(servers, "/generate")).toBe(n);
      controller.abort(new Error("left"));
      await expect(leaving).rejects.toThrow("left");
      await expect.poll(() => listChecks(servers, "/abort_request")).toBe(n);
    }
    await expect.poll(() => warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/refused to abort.*HTTP 401.*engine\.admin_api_key/);
  });
});
