import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import {
  createRegistry,
  JSON_LIMITS,
  type RunningServer,
  startServer,
  toServerSettings,
} from "../../src/server/start.js";

/** A server as its configuration describes it. */

const ADMIN_KEY = "sk-admin-0123456789abcdef";

describe("the settings of a server", () => {
  it("are those of the configuration", () => {
    const config = parseConfig({
      server: {
        max_body_bytes: 1001,
        body_bytes_in_flight: 2001,
        max_connections: 2002,
        send_timeout_seconds: 24,
        max_prompt_characters: 2007,
        public_metrics: false,
        access_log: true,
        known_request_bytes: 1002,
        store_bytes: 2007,
        strict_control_fields: false,
        max_upstream_calls: 1008,
        shared_memory_directory: "/dev/shm",
        shared_memory_bytes: 1004,
        max_session_bytes: null,
        max_concurrent_calls: 1007,
        shutdown_seconds: 12,
      },
      engine: { top_logprobs: 7 },
      teachers: [{ name: "big", engine: "sglang", urls: ["http://teacher:30000"], top_k: 4 }],
      upstreams: [{ models: "judge", refuse: true }],
      rollout: {
        agent: {
          engine_max_tokens: 1003,
          chat_template_type: "concat",
          chat_template_kwargs: { enable_thinking: false },
          tool_call_parser: "hermes",
          reasoning_parser: "qwen3",
          message_filters: ["[0-9]+"],
          enforce_strict_tools: true,
          server_tools: "drop",
          images: "placeholder",
          drain_seconds: 13,
          sampling_override: { temperature: 0.5, top_k: -1 },
        },
      },
    });
    expect(toServerSettings(config, ADMIN_KEY, "tiny")).toEqual({
      teachers: [
        {
          name: "big",
          type: "sglang",
          urls: ["http://teacher:30000"],
          topLogprobs: 4,
          maxInflight: 8,
          timeoutSeconds: 600,
          atEnd: false,
        },
      ],
      adminKey: ADMIN_KEY,
      modelName: "tiny",
      maxBodyBytes: 1001,
      maxChoices: 64,
      bodyBytesInFlight: 2001,
      connections: {
        maxConnections: 2002,
        headersTimeoutMilliseconds: 15_000,
        requestTimeoutMilliseconds: 120_000,
        sendTimeoutMilliseconds: 24_000,
      },
      jsonLimits: JSON_LIMITS,
      maxPromptCharacters: 2007,
      publicMetrics: false,
      accessLog: true,
      knownRequestBytes: 1002,
      strictControlFields: false,
      keepAliveSeconds: 15,
      shutdownSeconds: 12,
      sessionLimits: { tokens: 2 ** 28, calls: 65_536, bytes: Number.POSITIVE_INFINITY, concurrentCalls: 1007 },
      store: { bytes: 2007, highWater: 0.8 },
      upstreams: [{ models: ["judge"], refuse: true }],
      upstreamLimits: { calls: 1008, concurrentCalls: 16 },
      engineMaxTokens: 1003,
      chatTemplateType: "concat",
      topLogprobs: 7,
      serverTools: "drop",
      images: "placeholder",
      enforceStrictTools: true,
      drainSeconds: 13,
      sharedMemory: { directory: "/dev/shm", maxBytes: 1004 },
      samplingOverride: { temperature: 0.5, topK: 0 },
      recordedConfig: {
        engine: "embedded",
        chat_template_type: "concat",
        chat_template_kwargs: { enable_thinking: false },
        tool_call_parser: "hermes",
        reasoning_parser: "qwen3",
        engine_max_tokens: 1003,
        message_filters: ["[0-9]+"],
        server_tools: "drop",
        images: "placeholder",
      },
    });
  });

  it("leave the length of the context and the sampling to the engine and to requests by default", () => {
    const settings = toServerSettings(parseConfig({}), ADMIN_KEY, "tiny");
    expect(settings).toMatchObject({ engineMaxTokens: undefined, samplingOverride: {} });
  });
});

describe("the registry of a server", () => {
  const start = (server: object, agent: object = {}) => {
    const registry = createRegistry(parseConfig({ server, rollout: { agent } }), ADMIN_KEY);
    registry.grant(2);
    return registry;
  };
  const OWN_KEY = "a-key-of-my-own-choice";

  it("expires sessions and frees exported ones after the times of the configuration", () => {
    const registry = start({}, { session_timeout_seconds: 100, export_retention_seconds: 50 });
    const [idle, exported] = [registry.start({}).session, registry.start({}).session];
    exported.end();
    registry.seal([exported]);
    const now = Date.now();
    registry.sweep(now + 49_000);
    expect([idle.state, exported.lifecycle.freed]).toEqual(["active", false]);
    registry.sweep(now + 51_000);
    expect([idle.state, exported.lifecycle.freed]).toEqual(["active", true]);
    registry.sweep(now + 101_000);
    expect(idle.state).toBe("expired");
  });

  it("has a new tag at every start, which keys of the caller's choice need not carry", () => {
    const [one, other] = [start({}), start({})];
    expect(one.workerTag).toMatch(/^[a-z0-9]{8}$/);
    expect(other.workerTag).not.toBe(one.workerTag);
    expect(one.start({ apiKey: OWN_KEY }).key).toBe(OWN_KEY);
  });

  it("has no tag if the configuration has none", () => {
    const registry = start({ worker_tag: null });
    expect(registry.workerTag).toBeUndefined();
    expect(registry.start({ taskId: "math" }).session.id).toBe("math-0");
  });

  it.each([{ worker_tag: "one" }, { worker_tag: "one", workers_folder: "/shared" }, { workers_folder: "/shared" }])(
    "refuses keys without its tag if gateways are to find them: %o",
    (server) => {
      const registry = start(server);
      expect(() => registry.start({ apiKey: OWN_KEY })).toThrow(/api_key must be/);
      const tagged = `sk-${registry.workerTag}.${OWN_KEY}`;
      expect(registry.start({ apiKey: tagged }).key).toBe(tagged);
    },
  );
});

describe("a server in a shared folder", () => {
  const folder = (): string => {
    const path = mkdtempSync(join(tmpdir(), "rolltape-workers-"));
    onTestFinished(() => rmSync(path, { recursive: true }));
    return path;
  };

  async function serve(server: object): Promise<RunningServer> {
    const config = parseConfig({ server: { port: 0, shutdown_seconds: 0, ...server } });
    const running = await startServer(config, { adminKey: ADMIN_KEY });
    onTestFinished(async () => void (await running.close()));
    return running;
  }

  const registrations = (path: string): string[] => readdirSync(path).filter((name) => name.endsWith(".json"));
  const registered = (path: string): { url: string; tag: string } =>
    JSON.parse(readFileSync(join(path, registrations(path)[0] ?? ""), "utf8"));

  it("registers there under its tag while it runs", async () => {
    const path = folder();
    const server = await serve({ workers_folder: path, worker_tag: "one" });
    expect(registrations(path)).toEqual(["one.json"]);
    expect(registered(path)).toMatchObject({ url: server.url, tag: "one" });
    await server.close();
    expect(registrations(path)).toEqual([]);
    await expect(fetch(`${server.url}/health`)).rejects.toThrow("fetch failed");
  });

  it("registers with the host that the configuration advertises", async () => {
    const path = folder();
    const server = await serve({ workers_folder: path, advertised_host: "node1.cluster" });
    expect(registered(path).url).toBe(`http://node1.cluster:${new URL(server.url).port}`);
  });

  it("registers with the machine's name if it listens on all addresses", async () => {
    const path = folder();
    const server = await serve({ workers_folder: path, host: "0.0.0.0" });
    expect(registered(path).url).toBe(`http://${hostname().toLowerCase()}:${new URL(server.url).port}`);
  });

  it("closes once, however often it is asked to", async () => {
    const server = await serve({});
    expect(server.close()).toBe(server.close());
  });
});
