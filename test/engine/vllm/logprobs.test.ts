import { afterEach, describe, expect, it } from "vitest";
import type { Engine } from "../../../src/engine/engine.js";
import { rendezvousOrder } from "../../../src/engine/servers/pool/rendezvous.js";
import { createVllmEngine } from "../../../src/engine/vllm/create-vllm-engine.js";
import { startVllmServer, type VllmServer, type VllmServerOptions } from "../../helpers/vllm/vllm-server.js";
import { makeCall, makePrompt } from "../generate-call.js";

/** A probe generation finds out what a vLLM server's log probabilities include. */

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

async function startServer(options: VllmServerOptions): Promise<VllmServer> {
  const server = await startVllmServer(options);
  open.push(server);
  return server;
}

function createEngine(...servers: readonly VllmServer[]): Engine {
  const urls = servers.map(({ url }) => url);
  const engine = createVllmEngine({ urls, timeoutSeconds: 0, maxInflight: 8, healthSeconds: 0 });
  open.push(engine);
  return engine;
}

/** The reply to a probe, with these values as log probabilities. */
const makeReply = (values: readonly number[]) => ({
  choices: [
    {
      index: 0,
      finish_reason: "length",
      token_ids: values.map((_, index) => index + 5),
      logprobs: { content: values.map((logprob, index) => ({ token_id: index + 5, logprob, top_logprobs: [] })) },
    },
  ],
});

const readContent = async (engine: Engine) => (await engine.generate(makeCall(makePrompt(5)))).logprobs;

describe.each([
  ["generate", true],
  ["completions", false],
])("the log probabilities of %s", (_, scaleOut) => {
  it.each([
    ["processed_logprobs", "truncated"],
    ["raw_logprobs", "raw"],
  ] as const)("are classified in mode %s as %s", async (logprobsMode, content) => {
    const server = await startServer({ scaleOut, logprobsMode });
    expect(await readContent(createEngine(server))).toBe(content);
  });
});

describe("the probe", () => {
  it("is one short generation for all calls of a server, and does not change their tokens", async () => {
    const server = await startServer({ logprobsMode: "processed_logprobs" });
    const engine = createEngine(server);
    const calls = Array.from({ length: 6 }, () => makeCall(makePrompt(5)));
    const results = await Promise.all(calls.map((call) => engine.generate(call)));
    await engine.generate(makeCall(makePrompt(5)));
    expect(new Set(results.map(({ logprobs }) => logprobs))).toEqual(new Set(["truncated"]));
    expect(server.probes.map(({ json }) => json)).toEqual([
      expect.objectContaining({
        token_ids: makePrompt(1),
        sampling_params: expect.objectContaining({ temperature: 2, top_k: 1, max_tokens: 4 }) as object,
      }),
    ]);
    expect(calls[0]?.generation.ids()).toEqual(calls[5]?.generation.ids());
  });

  it("fails no call if it fails, and is not repeated for each call", async () => {
    const server = await startServer({ logprobsMode: "processed_logprobs" });
    server.probeFault({ kind: "status", status: 500 });
    const engine = createEngine(server);
    expect([await readContent(engine), await readContent(engine)]).toEqual(["unknown", "unknown"]);
    expect(server.probes).toHaveLength(1);
  });

  it("ends with the call's time limit if it gets no answer", async () => {
    const server = await startServer({});
    server.probeFault({ kind: "hang" });
    const engine = createVllmEngine({ urls: [server.url], timeoutSeconds: 0.5, maxInflight: 8 });
    open.push(engine);
    expect(await readContent(engine)).toBe("unknown");
  });

  it("classifies equal logits as truncated", async () => {
    const tie = await startServer({});
    tie.probeFault({ kind: "reply", body: makeReply([0, -Math.LN2, 0, 0]) });
    expect(await readContent(createEngine(tie))).toBe("truncated");
  });

  it("is repeated after the server was unreachable", async () => {
    const server = await startServer({ logprobsMode: "raw_logprobs" });
    const engine = createEngine(server);
    expect(await readContent(engine)).toBe("raw");
    await server.close();
    await expect(readContent(engine)).rejects.toMatchObject({ code: "engine_unavailable" });
    expect(engine.servers?.list()[0]?.logprobs).toBe("unknown");
    const port = Number(new URL(server.url).port);
    await startServer({ port, logprobsMode: "processed_logprobs" });
    expect(await readContent(engine)).toBe("truncated");
    expect(engine.servers?.list()[0]?.logprobs).toBe("truncated");
  });
});

describe("a server that reports logits", () => {
  const fault = (values: readonly number[]) => ({ kind: "reply", body: makeReply(values) }) as const;

  it.each([
    ["above 0", [-1.5, 3.52, -0.5, -2]],
    ["less likely than any likeliest token", [-35.5, -31.25, -40, -33]],
  ])("fails its calls, without a request for the later ones: %s", async (_, values) => {
    const server = await startServer({});
    server.probeFault(fault(values));
    const engine = createEngine(server);
    for (let n = 0; n < 3; n++) {
      const failed = readContent(engine);
      await expect(failed).rejects.toMatchObject({ code: "engine_error" });
      await expect(failed).rejects.toThrow("The engine server reports logits");
    }
    expect(server.to("/inference/v1/generate")).toHaveLength(1);
    expect(server.probes).toHaveLength(1);
  });

  it("leaves its calls to servers that report log probabilities", async () => {
    const servers = [await startServer({}), await startServer({})] as const;
    servers[0].probeFault(fault([3.52, 4, 5, 6]));
    const engine = createEngine(...servers);
    const urls = servers.map(({ url }) => url);
    const affinityKey = ["a", "b", "c", "d", "e", "f"].find((key) => rendezvousOrder(key, urls)[0] === urls[0]) ?? "";
    const run = () => engine.generate(makeCall([7], {}, { affinityKey }));
    await expect(run()).rejects.toThrow("reports logits");
    expect(await run()).toMatchObject({ logprobs: "raw" });
    expect(servers[1].to("/inference/v1/generate")).toHaveLength(1);
  });

  it("gets calls again when it was restarted in another mode", async () => {
    const server = await startServer({});
    server.probeFault(fault([3.52, 4, 5, 6]));
    const engine = createEngine(server);
    await expect(readContent(engine)).rejects.toThrow("reports logits");
    await server.close();
    await expect(engine.health()).rejects.toMatchObject({ code: "engine_unavailable" });
    await startServer({ port: Number(new URL(server.url).port), logprobsMode: "processed_logprobs" });
    expect(await readContent(engine)).toBe("truncated");
  });
});

describe("servers with different logprobs modes", () => {
  async function pair() {
    const servers = [
      await startServer({ logprobsMode: "raw_logprobs", tokenMilliseconds: 5 }),
      await startServer({ logprobsMode: "processed_logprobs", tokenMilliseconds: 5 }),
    ];
    const engine = createEngine(...servers);
    const key = (home: VllmServer | undefined) =>
      ["a", "b", "c", "d", "e", "f", "g", "h"].find(
        (each) =>
          rendezvousOrder(
            each,
            servers.map(({ url }) => url),
          )[0] === home?.url,
      ) ?? "";
    return { engine, servers, raw: key(servers[0]), processed: key(servers[1]) };
  }

  it("give each call the mode of the server that served it", async () => {
    const { engine, raw, processed } = await pair();
    const run = async (affinityKey: string) => (await engine.generate(makeCall([7], {}, { affinityKey }))).logprobs;
    expect([await run(raw), await run(processed)]).toEqual(["raw", "truncated"]);
  });

  it("leave the mode unknown for a generation that moved between them", async () => {
    const { engine, servers, raw, processed } = await pair();
    await engine.generate(makeCall([7], {}, { affinityKey: raw }));
    await engine.generate(makeCall([7], {}, { affinityKey: processed }));
    const [home] = servers;
    home?.fault({ kind: "abort", after: 2 });
    const running = engine.generate(makeCall([7], { maxTokens: 9 }, { affinityKey: raw }));
    await expect.poll(() => home?.scheduler.pendingTokens, { interval: 1 }).toBeGreaterThan(0);
    void engine.servers?.drain(home?.url ?? "");
    expect(await running).toMatchObject({ resumes: 1, logprobs: "unknown" });
  });
});

describe("a temperature", () => {
  it("that vLLM raises is recorded as the one that it samples with", async () => {
    const engine = createEngine(await startServer({}));
    const used = [0, 0.001, 0.01, 0.7].map((temperature) => engine.effectiveTemperature?.(temperature, 0));
    expect(used).toEqual([0, 0.01, 0.01, 0.7]);
  });
});
