import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { createRegistry, type RunningServer, startServer, toServerSettings } from "../../src/server/start.js";

/** A server as its configuration describes it. */

const ADMIN_KEY = "sk-admin-0123456789abcdef";

describe("the settings of a server", () => {
  it("are those of the configuration", () => {
    const config = parseConfig({
      server: {
        max_body_bytes: 1001,
        body_bytes_in_flight: 2001,
        max_connections: 2002,
        headers_timeout_seconds: 21,
        request_timeout_seconds: 22,
        send_timeout_seconds: 24,
        max_json_depth: 23,
        max_json_values: 2003,
        max_json_keys: 2004,
        max_messages: 2005,
        max_tools: 2006,
        max_prompt_characters: 2007,
        public_metrics: false,
        access_log: true,
        known_request_bytes: 1002,
        store_bytes: 2007,
        store_high_water: 0.6,
        strict_control_fields: false,
        keepalive_seconds: 11,
        shutdown_seconds: 12,
      },
      upstreams: [{ models: "judge", refuse: true }],
      rollout: {
        agent: {
          engine_max_tokens: 1003,
          max_choices: 9,
          chat_template_type: "concat",
          chat_template_kwargs: { enable_thinking: false },
          tool_call_parser: "hermes",
          reasoning_parser: "qwen3",
          message_filters: ["[0-9]+"],
          enforce_strict_tools: true,
          server_tools: "drop",
          images: "placeholder",
          max_upstream_calls: 1008,
          max_concurrent_upstream_calls: null,
          drain_seconds: 13,
          shared_memory_directory: "/dev/shm",
          shared_memory_bytes: 1004,
          max_session_tokens: 1005,
          max_session_calls: 1006,
          max_session_bytes: null,
          max_concurrent_calls: 1007,
          sampling_override: { temperature: 0.5, top_k: -1 },
        },
      },
    });
    expect(toServerSettings(config, ADMIN_KEY, "tiny")).toEqual({
      adminKey: ADMIN_KEY,
      modelName: "tiny",
      maxBodyBytes: 1001,
      maxChoices: 9,
      bodyBytesInFlight: 2001,
      connections: {
        maxConnections: 2002,
        headersTimeoutMilliseconds: 21_000,
        requestTimeoutMilliseconds: 22_000,
        sendTimeoutMilliseconds: 24_000,
      },
      jsonLimits: {
        depth: 23,
        values: 2003,
        keys: 2004,
        lists: { messages: 2005, input: 2005, contents: 2005, tools: 2006 },
      },
      maxPromptCharacters: 2007,
      publicMetrics: false,
      accessLog: true,
      knownRequestBytes: 1002,
      strictControlFields: false,
      keepAliveSeconds: 11,
      shutdownSeconds: 12,
      sessionLimits: { tokens: 1005, calls: 1006, bytes: Number.POSITIVE_INFINITY, concurrentCalls: 1007 },
      store: { bytes: 2007, highWater: 0.6 },
      upstreams: [{ models: ["judge"], refuse: true }],
      upstreamLimits: { calls: 1008, concurrentCalls: Number.POSITIVE_INFINITY },
      engineMaxTokens: 1003,
      chatTemplateType: "concat",
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
