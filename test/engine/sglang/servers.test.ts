import { afterEach, describe, expect, it } from "vitest";
import { readContextLength } from "../../../src/engine/sglang/context-length.js";
import { createSglangEngine } from "../../../src/engine/sglang/create-sglang-engine.js";
import type { SglangOptions } from "../../../src/engine/sglang/sglang-options.js";
import { type SglangServer, type SglangServerOptions, startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { makeCall } from "../generate-call.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

async function startServer(options: SglangServerOptions = {}): Promise<SglangServer> {
  const server = await startSglangServer(options);
  open.push(server);
  return server;
}

function createEngine(urls: readonly string[], options: Partial<SglangOptions> = {}) {
  const engine = createSglangEngine({ urls, timeoutSeconds: 0, maxInflight: 4, ...options });
  open.push(engine);
  return engine;
}

describe("several servers", () => {
  it("get all calls of a session at one server, and those of many sessions at all servers", async () => {
    const servers = [await startServer(), await startServer(), await startServer()];
    const engine = createEngine(servers.map(({ url }) => url));
    for (let n = 0; n < 120; n++) await engine.generate(makeCall([1, n], {}, { affinityKey: `s-${n % 40}` }));
    const listKeys = (server: SglangServer) =>
      server.to("/generate").map(({ headers }) => headers["x-smg-routing-key"]);
    const sets = servers.map((server) => new Set(listKeys(server)));
    expect(sets.reduce((sum, { size }) => sum + size, 0)).toBe(40);
    expect(sets.every(({ size }) => size > 0)).toBe(true);
  });

  it("have together the shortest of their context lengths", async () => {
    const [first, second] = [await startServer({ contextLength: 5000 }), await startServer({ contextLength: 4000 })];
    expect(await createEngine([first.url, second.url]).contextLength()).toBe(3994);
  });
});

describe("the context length", () => {
  it("is taken from the configuration without a request", async () => {
    const server = await startServer();
    expect(await createEngine([server.url], { contextLength: 777 }).contextLength()).toBe(777);
    expect(server.requests).toHaveLength(0);
  });

  it("is requested once", async () => {
    const server = await startServer({ contextLength: 9000 });
    const engine = createEngine([server.url]);
    expect(await Promise.all([engine.contextLength(), engine.contextLength()])).toEqual([8994, 8994]);
    expect(await engine.contextLength()).toBe(8994);
    expect(server.to("/server_info")).toHaveLength(1);
  });

  it("is requested again after a failure", async () => {
    const first = await startServer();
    const engine = createEngine([first.url]);
    const port = Number(new URL(first.url).port);
    await first.close();
    await expect(engine.contextLength()).rejects.toMatchObject({ code: "engine_unavailable" });
    await startServer({ port, contextLength: 1234 });
    expect(await engine.contextLength()).toBe(1228);
  });

  it("is found at the endpoints of older builds", async () => {
    const server = await startServer({ missingPaths: ["/server_info"], contextLength: 2048 });
    expect(await createEngine([server.url]).contextLength()).toBe(2042);
  });

  it.each([
    // SGLang 0.5.23 with --context-length 4096 --max-total-tokens 20000
    [{ context_length: 4096, max_total_num_tokens: 20_000, max_req_input_len: 4090, internal_states: [{}] }, 4090],
    [{ context_length: 4096 }, 4090],
    [{ context_length: 4096, max_total_num_tokens: 1000 }, 994],
    [{ context_length: null, max_req_input_len: 4090, max_total_num_tokens: 100_000 }, 4090],
    [{ internal_states: [{}, { max_req_input_len: 500 }] }, 500],
    [{ context_length: "4096" }, undefined],
    [{}, undefined],
    ["no object", undefined],
  ])("in the reply %o is %s", (info, length) => {
    expect(readContextLength(JSON.stringify(info))).toBe(length);
  });

  it("fails if no server reports it", async () => {
    const none = { context_length: null, max_req_input_len: null, internal_states: [] };
    const server = await startServer({ serverInfo: none });
    await expect(createEngine([server.url]).contextLength()).rejects.toMatchObject({ code: "engine_error" });
  });
});

describe("options", () => {
  it.each([
    { urls: [] },
    { maxInflight: 0 },
    { maxInflight: 1.5 },
    { timeoutSeconds: -1 },
    { timeoutSeconds: Number.NaN },
  ])("throw RangeError if out of range: %o", (options) => {
    const base = { urls: ["http://127.0.0.1:1"], timeoutSeconds: 0, maxInflight: 1 };
    expect(() => createSglangEngine({ ...base, ...options })).toThrow(RangeError);
  });

  it("throw TypeError if a URL is invalid", () => {
    expect(() => createSglangEngine({ urls: ["not a url"], timeoutSeconds: 0, maxInflight: 1 })).toThrow(/URL/);
  });
});
