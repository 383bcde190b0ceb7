import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { TOOL_CALL_PARSERS } from "../../src/config/schema/parser-names.js";
import { catchConfigError, readProblems } from "./helpers.js";

const SGLANG = { engine: { type: "sglang", urls: ["http://a:30000"] }, model: { path: "/models/qwen" } };

describe("defaults", () => {
  it("fills every key of an empty configuration", () => {
    expect(parseConfig({})).toEqual({
      server: {
        host: "127.0.0.1",
        port: 8090,
        workers: 1,
        socket: null,
        probe_port: null,
        stall_seconds: 60,
        max_body_bytes: 16_777_216,
        body_bytes_in_flight: 536_870_912,
        max_connections: 16_384,
        send_timeout_seconds: 120,
        max_prompt_characters: 4 * 1024 * 1024,
        known_request_bytes: 268_435_456,
        store_bytes: null,
        strict_control_fields: true,
        ui: false,
        max_upstream_calls: 4096,
        shared_memory_directory: "/dev/shm",
        shared_memory_bytes: 4 * 1024 ** 3,
        max_session_bytes: 2_147_483_648,
        max_concurrent_calls: 256,
        shutdown_seconds: 30,
        worker_tag: "auto",
        workers_folder: null,
        advertised_host: null,
        public_metrics: true,
        access_log: false,
        log_level: "info",
      },
      model: { path: null, name: null },
      engine: {
        type: "embedded",
        urls: [],
        model: null,
        context_length: null,
        sequences: 8,
        timeout_seconds: 3600,
        max_inflight: 1024,
        routed_experts: false,
        sampling_masks: false,
        max_kept_tokens: 512,
        top_logprobs: 0,
        token_ids_logprob: [],
        served_model: null,
        api_key: null,
        admin_api_key: null,
      },
      rollout: {
        agent: {
          mode: "inline",
          subproc_max_workers: 4,
          python: null,
          tasks_per_worker: 128,
          admin_api_key: null,
          key_file: null,
          session_timeout_seconds: 3600,
          drain_seconds: 5,
          export_retention_seconds: 300,
          export_retention_bytes: 1_073_741_824,
          turn_discount: 1,
          export_style: "individual",
          concat_reward: "leaf",
          export_filters: { models: null, exclude_models: null, tags: null, roots: "all", overlong: "keep" },
          reward_scope: "interaction",
          chat_template_type: "hf",
          message_filters: [],
          chat_template_kwargs: {},
          enforce_strict_tools: false,
          server_tools: "refuse",
          images: "auto",
          image_urls: "refuse",
          image_hosts: [],
          engine_max_tokens: null,
          sampling_override: {
            temperature: null,
            top_p: null,
            top_k: null,
            min_p: null,
            frequency_penalty: null,
            presence_penalty: null,
            repetition_penalty: null,
            min_tokens: null,
            ignore_eos: null,
            seed: null,
            max_tokens: null,
          },
          tool_call_parser: "auto",
          reasoning_parser: "auto",
        },
        max_concurrent_rollouts: null,
        max_concurrent_episodes: null,
        min_accepted_share: 0.5,
        drop_zero_variance: false,
        max_token_staleness: null,
        max_staleness: 0,
        consumer_batch_size: null,
        workers: null,
        worker_concurrency: 64,
        max_failures: 3,
        no_retry_on: [],
        failure_reward: null,
        group_readable: false,
        proxy_wait_seconds: 300,
        max_attempts: 3,
        lease_seconds: 30,
      },
      storage: {
        directory: null,
        durability: "call",
        memory_bytes: null,
        archive: null,
        archive_backlog_bytes: 10_000_000_000,
      },
      scheduler: { type: "local" },
      gateway: {
        workers: [],
        workers_folder: null,
        discover: null,
        direct: null,
        unreachable_seconds: 10,
        worker_return_seconds: 30,
      },
      telemetry: { otlp_url: null, sample_ratio: 0.1 },
      upstreams: [],
      engines: [],
      teachers: [],
      group_size: 1,
      drop_incomplete_group: true,
    });
  });

  it("treats a section without keys as absent", () => {
    expect(parseConfig({ server: null, rollout: { agent: null } })).toEqual(parseConfig({}));
    expect(parseConfig(null)).toEqual(parseConfig({}));
  });
});

describe("values out of range", () => {
  const cases: [string, unknown, string][] = [
    ["server.port", 65_536, "expected an integer from 0 to 65535, got 65536"],
    ["server.port", 1.5, "expected an integer from 0 to 65535, got 1.5"],
    ["server.port", "8090", 'expected an integer from 0 to 65535, got "8090"'],
    ["server.workers", 0, "expected an integer from 1 to 256 or auto, got 0"],
    ["server.workers", 257, "expected an integer from 1 to 256 or auto, got 257"],
    ["server.workers", "all", 'expected an integer from 1 to 256 or auto, got "all"'],
    ["server.max_body_bytes", 0, "expected an integer of at least 1, got 0"],
    ["server.log_level", "loud", 'expected one of fatal, error, warn, info, debug, trace, silent, got "loud"'],
    ["server.host", null, "expected text that is not empty, got null"],
    ["rollout.agent.subproc_max_workers", 257, "expected an integer from 1 to 256, got 257"],
    ["rollout.agent.turn_discount", 1.01, "expected a number from 0 to 1, got 1.01"],
    ["rollout.agent.turn_discount", Number.NaN, "expected a number from 0 to 1, got NaN"],
    ["rollout.agent.session_timeout_seconds", 0, "expected a number above 0, at most 2147483, got 0"],
    ["rollout.agent.session_timeout_seconds", 2_147_484, "expected a number above 0, at most 2147483, got 2147484"],
    ["rollout.agent.export_style", "tree", 'expected one of individual, concat, got "tree"'],
    ["rollout.agent.concat_reward", "sum", 'expected one of leaf, return, got "sum"'],
    [
      "rollout.agent.concat_reward",
      "return",
      "expected leaf, because rows of style individual have one turn; set rollout.agent.export_style to concat",
    ],
    ["rollout.agent.image_urls", "follow", 'expected one of refuse, fetch, got "follow"'],
    [
      "rollout.agent.image_hosts",
      ["minio:9000"],
      "has no effect, because no images are fetched; set rollout.agent.image_urls to fetch",
    ],
    ["rollout.agent.reward_scope", "group", 'expected one of interaction, session, got "group"'],
    ["rollout.agent.sampling_override.temperature", 2.1, "expected a number from 0 to 2 or null, got 2.1"],
    ["rollout.agent.sampling_override.top_p", 0, "expected a number above 0, at most 1 or null, got 0"],
    ["rollout.agent.sampling_override.max_tokens", 0, "expected an integer from 1 to 2147483647 or null, got 0"],
    ["rollout.agent.engine_max_tokens", 0, "expected an integer of at least 1 or null, got 0"],
    [
      "rollout.agent.tool_call_parser",
      "qwen",
      `expected one of auto, none, ${TOOL_CALL_PARSERS.join(", ")}, got "qwen"`,
    ],
    ["rollout.max_staleness", -1, "expected an integer of at least 0, got -1"],
    ["scheduler.type", "ray", "expected local or slurm, got ray, because agent workflows do not run on Ray"],
    ["scheduler.type", "kubernetes", 'expected one of local, slurm, got "kubernetes"'],
    ["server", 3, "expected a map of keys, got 3"],
    ["rollout.agent", [1], "expected a map of keys, got [1]"],
  ];

  it.each(cases)("refuses %s = %s", (path, value, message) => {
    const written = path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
    expect(readProblems(() => parseConfig(written))).toEqual({ [path]: message });
  });

  it.each(["", "a b", "Minio", "minio/a", "minio:80", "minio:443", "me@minio", "minio?", "http://minio"])(
    "refuses %j as a host of images",
    (host) => {
      const written = { rollout: { agent: { image_urls: "fetch", image_hosts: ["minio:9000", "[::1]:9000", host] } } };
      expect(readProblems(() => parseConfig(written))).toEqual({
        "rollout.agent.image_hosts[2]": `expected a host in lower case, with its port unless it is 80 or 443, got "${host}"`,
      });
    },
  );

  it("refuses a configuration that is not a map", () => {
    expect(readProblems(() => parseConfig([1]))).toEqual({
      "the configuration": "expected a map of keys, got [1]",
    });
  });

  it("shows only the beginning of a long value", () => {
    const { "server.port": message } = readProblems(() => parseConfig({ server: { port: "x".repeat(1000) } }));
    expect(message?.length).toBeLessThan(120);
    expect(message).toMatch(/, got "x{30,}…$/);
  });

  it("reports all problems at once", () => {
    const written = { server: { port: -1 }, engine: { type: "sglang" }, rollout: { agent: { mod: 1 } }, group_size: 0 };
    expect(Object.keys(readProblems(() => parseConfig(written))).toSorted()).toEqual([
      "engine.urls",
      "group_size",
      "model.path",
      "rollout.agent.mod",
      "server.port",
    ]);
  });

  it.each([{ engine: { type: "sglang", nope: 1 } }, { engine: { type: "sglang" }, nope: 1 }])(
    "checks rules over several keys despite an unknown key: %j",
    (written) => {
      const paths = Object.keys(readProblems(() => parseConfig(written)));
      expect(paths).toHaveLength(3);
      expect(paths).toEqual(expect.arrayContaining(["engine.urls", "model.path"]));
    },
  );

  it("lists each problem in a line of the error's message", () => {
    const { message } = catchConfigError(() => parseConfig({ engine: { sequences: 0 }, group_size: 0 }));
    expect(message.split("\n")).toEqual([
      expect.stringMatching(/^engine\.sequences: expected /),
      expect.stringMatching(/^group_size: expected /),
    ]);
  });

  it("throws a ConfigError with the code config_invalid", () => {
    expect(catchConfigError(() => parseConfig({ group_size: 0 }))).toMatchObject({
      name: "ConfigError",
      code: "config_invalid",
    });
  });
});

describe("unknown keys", () => {
  it.each([
    [{ server: { prot: 1 } }, "server.prot", "server.port"],
    [{ turn_discont: 1 }, "turn_discont", "rollout.agent.turn_discount"],
    [{ engine: { url: "http://a" } }, "engine.url", "engine.urls"],
    [{ engine: { connections: 64 } }, "engine.connections", "engine.max_inflight"],
    [{ rollout: { group_size: 2 } }, "rollout.group_size", "group_size"],
    [{ agent: { mode: "inline" } }, "agent", "rollout.agent"],
    [{ "server.port": 1 }, '"server.port"', "server.port"],
    [{ rollout: { agent: { max_session_bytes: 1 } } }, "rollout.agent.max_session_bytes", "server.max_session_bytes"],
    [{ rollout: { compat: { mod: "inline" } } }, "rollout.agent.mod", "rollout.agent.mode"],
    [JSON.parse('{"__proto__":{"x":1}}') as unknown, "__proto__", "rollout.agent.export_filters.roots"],
  ])("are reported with the nearest known key: %j", (written, path, nearest) => {
    expect(readProblems(() => parseConfig(written))).toEqual({
      [path]: `unknown key; did you mean ${nearest}?`,
    });
  });
});

describe("unknown keys of a map in a list", () => {
  it("are reported without a known key", () => {
    const upstreams = [{ models: "a", url: "http://a", nope: 1, other: 2 }];
    expect(readProblems(() => parseConfig({ upstreams }))).toEqual({
      "upstreams[0].nope": "unknown key",
      "upstreams[0].other": "unknown key",
    });
  });
});

describe("rollout.compat", () => {
  it("is another spelling of rollout.agent", () => {
    const compat = { mode: "subproc", turn_discount: 0.5 };
    expect(parseConfig({ rollout: { compat } })).toEqual(parseConfig({ rollout: { agent: compat } }));
  });

  it("may be used together with rollout.agent, for other keys or equal values", () => {
    const rollout = {
      agent: { mode: "subproc", message_filters: ["a"] },
      compat: { mode: "subproc", message_filters: ["a"], turn_discount: 0.5 },
    };
    expect(parseConfig({ rollout }).rollout.agent).toMatchObject({ mode: "subproc", turn_discount: 0.5 });
  });

  it.each([null, {}])("may be empty beside rollout.agent: %j", (compat) => {
    expect(parseConfig({ rollout: { agent: { turn_discount: 0.5 }, compat } }).rollout.agent.turn_discount).toBe(0.5);
  });

  it("conflicts with rollout.agent if a key has different values", () => {
    const rollout = { agent: { mode: "inline", turn_discount: 1 }, compat: { mode: "subproc", turn_discount: 1 } };
    expect(readProblems(() => parseConfig({ rollout }))).toEqual({
      "rollout.agent.mode": "conflicts with rollout.compat.mode, which is the same key and has another value",
    });
  });
});

describe("engines", () => {
  it("accepts one URL instead of a list", () => {
    const config = parseConfig({ ...SGLANG, engine: { type: "sglang", urls: "http://a:30000" } });
    expect(config.engine.urls).toEqual(["http://a:30000"]);
  });

  it.each(["ftp://a", "a:30000", "http://a,http://b", "http://a/?x=1", "http://a/#x", "http://", 5])(
    "refuses %s as a URL",
    (url) => {
      const message = `expected an http or https URL without query or fragment, got ${JSON.stringify(url)}`;
      const written = { ...SGLANG, engine: { type: "sglang", urls: ["http://a", url] } };
      expect(readProblems(() => parseConfig(written))).toEqual({ "engine.urls[1]": message });
    },
  );

  it.each(["http://a", "https://a.example:1/base", "http://[::1]:30000", "http://user:word@10.0.0.1"])(
    "accepts %s as a URL",
    (url) => {
      expect(parseConfig({ ...SGLANG, engine: { type: "sglang", urls: [url] } }).engine.urls).toEqual([url]);
    },
  );

  it.each(["sglang", "vllm"])("requires URLs for %s", (type) => {
    const written = { engine: { type }, model: { path: "/m" } };
    expect(readProblems(() => parseConfig(written))).toEqual({
      "engine.urls": "expected at least one URL, because engine.type is sglang or vllm",
    });
  });

  it("requires model.path for engine servers", () => {
    expect(Object.keys(readProblems(() => parseConfig({ engine: SGLANG.engine })))).toEqual(["model.path"]);
  });

  it("refuses keys that the embedded engine would ignore", () => {
    const engine = { urls: ["http://a"], api_key: "secret" };
    expect(Object.keys(readProblems(() => parseConfig({ engine })))).toEqual(["engine.urls", "engine.api_key"]);
  });

  it("refuses a .gguf file for an engine that would ignore it", () => {
    const written = { ...SGLANG, engine: { ...SGLANG.engine, model: "/m.gguf" } };
    expect(Object.keys(readProblems(() => parseConfig(written)))).toEqual(["engine.model"]);
  });

  it("accepts a .gguf file and its model folder only together", () => {
    const both = { engine: { model: "/m.gguf" }, model: { path: "/m" } };
    expect(parseConfig(both)).toMatchObject(both);
    expect(Object.keys(readProblems(() => parseConfig({ engine: { model: "/m.gguf" } })))).toEqual(["model.path"]);
    expect(Object.keys(readProblems(() => parseConfig({ model: { path: "/m" } })))).toEqual(["engine.model"]);
  });
});

describe("a wrong key that a rule over several keys reads", () => {
  it("is the only problem", () => {
    const server = { advertised_host: "node1", workers_folder: 5, workers: 1 };
    expect(Object.keys(readProblems(() => parseConfig({ server })))).toEqual(["server.workers_folder"]);
  });
});

describe("the patterns of an export", () => {
  const parse = (models: unknown) => parseConfig({ rollout: { agent: { export_filters: { models } } } });

  it("are a list of one to a hundred texts, or null", () => {
    const hundred = Array.from({ length: 100 }, (_, index) => `model-${index}`);
    expect(parse(hundred).rollout.agent.export_filters.models).toEqual(hundred);
    expect(parse(null).rollout.agent.export_filters.models).toBeNull();
    for (const models of [[], [...hundred, "more"], ["x".repeat(257)], 5])
      expect(Object.keys(readProblems(() => parse(models)))[0]).toMatch(/^rollout\.agent\.export_filters\.models/);
  });
});

describe("an unknown engine", () => {
  it("is the only problem, because it decides which other keys have an effect", () => {
    const engine = {
      type: "nope",
      urls: ["http://a"],
      model: "/m.gguf",
      api_key: "key",
      admin_api_key: "key",
      served_model: "name",
      sequences: 4,
      max_inflight: 4,
    };
    const written = { engine, model: { path: "/m" }, server: { workers: 2 } };
    expect(Object.keys(readProblems(() => parseConfig(written)))).toEqual(["engine.type"]);
    expect(Object.keys(readProblems(() => parseConfig({ engine: { type: "nope" } })))).toEqual(["engine.type"]);
  });
});

describe("several workers", () => {
  const embedded =
    "expected 1, because engine.type is embedded and each worker would load a model of its own and compete for the same " +
    "cores; use engine.type sglang or vllm";

  it.each([2, "auto"])("are refused with the embedded engine: %s", (workers) => {
    expect(readProblems(() => parseConfig({ server: { workers } }))).toEqual({ "server.workers": embedded });
  });

  it("are accepted with engine servers, and have names of their own", () => {
    const server = { workers: "auto", advertised_host: "node1" };
    expect(parseConfig({ ...SGLANG, server }).server).toMatchObject(server);
    for (const worker_tag of [null, "one"]) {
      expect(readProblems(() => parseConfig({ ...SGLANG, server: { workers: 2, worker_tag } }))).toEqual({
        "server.worker_tag": "expected auto, because each of the server.workers needs a tag of its own",
      });
    }
  });
});

describe("the worker tag", () => {
  it("must not be null for a server that registers in a folder", () => {
    const server = { worker_tag: null, workers_folder: "/shared/workers" };
    expect(readProblems(() => parseConfig({ server }))).toEqual({
      "server.worker_tag":
        "expected a tag or auto, because a server registers in server.workers_folder under its tag; got null",
    });
  });
});

describe("keys and filters", () => {
  it.each(["short", "fifteen-letters", "has spaces in it here", "ünïcödé-in-the-key"])(
    "refuses the admin key %j without showing it",
    (key) => {
      const error = catchConfigError(() => parseConfig({ rollout: { agent: { admin_api_key: key } } }));
      expect(error.problems).toEqual([
        {
          path: "rollout.agent.admin_api_key",
          message: `expected at least 16 visible ASCII characters without spaces or null, got ${key.length} characters`,
        },
      ]);
      expect(error.message).not.toContain(key);
    },
  );

  it("refuses a filter that is not a regular expression", () => {
    const problems = readProblems(() => parseConfig({ rollout: { agent: { message_filters: ["ok", "("] } } }));
    expect(problems["rollout.agent.message_filters[1]"]).toMatch(/^expected a regular expression: .+\(/);
  });
});
