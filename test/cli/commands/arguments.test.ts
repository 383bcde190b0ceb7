import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { printConfig } from "../../../src/cli/commands/config.js";
import { rollout } from "../../../src/cli/commands/rollout.js";
import { view } from "../../../src/cli/commands/view.js";
import { worker } from "../../../src/cli/commands/worker.js";
import { requireWritable, sharedMemoryProblems } from "../../../src/cli/preflight/preflight.js";
import { requireProxy } from "../../../src/cli/preflight/proxy-preflight.js";
import { onInterrupt } from "../../../src/cli/rollout/interrupt.js";
import { assertJobArguments } from "../../../src/cli/rollout/job-arguments.js";
import type { RolloutOptions } from "../../../src/cli/rollout/rollout-options.js";
import { parseConfig } from "../../../src/config/index.js";
import { startRecordingServer } from "../../helpers/recording-server.js";
import { temporaryFolder } from "../rolltape.js";

/** Arguments that commands refuse before they start anything. */

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe("rolltape rollout refuses", () => {
  const options: RolloutOptions = { data: "/no/such/tasks", out: "batch.safetensors", layout: "padded" };
  const job = { jobFolder: "/tmp/job" };

  it.each<[readonly string[], Partial<RolloutOptions>, RegExp]>([
    [[], {}, /--data \/no\/such\/tasks cannot be read/],
    [[], job, /--data \/no\/such\/tasks cannot be read/],
    [[], { ...job, engines: 2 }, /^--engines requires --engine-command$/],
    [
      [],
      { ...job, engineCommand: ["serve"] },
      /^--engine-command must contain \{port\}, on which the proxies call the engine$/,
    ],
    [
      [],
      { ...job, engineCommand: ["serve", "{port}"] },
      /^--engine-command requires engine\.type=sglang or vllm: the embedded engine/,
    ],
    [
      ["engine.type=sglang", "model.path=/m"],
      { ...job, engineCommand: ["serve", "x{port}"] },
      /--data \/no\/such\/tasks/,
    ],
    [["scheduler.type=slurm"], {}, /^scheduler\.type=slurm requires --job-folder, a folder that all machines share/],
    [["scheduler.type=slurm"], job, /--data \/no\/such\/tasks/],
    [[], { nodes: 2 }, /^--nodes requires --job-folder$/],
    [[], { sbatchOption: ["--a"] }, /^--sbatch-option requires --job-folder$/],
    [
      ["engine.type=sglang", "model.path=/m"],
      { engineCommand: ["serve", "{port}"] },
      /^--engine-command requires --job-folder$/,
    ],
    [[], { engines: 2 }, /^--engines requires --job-folder$/],
    [[], { trainerMode: "batch" }, /^--trainer-mode requires --trainer$/],
  ])("%j %o", async (args, changes, message) => {
    const refused = rollout(args, { ...options, ...changes });
    await expect(refused).rejects.toThrow(message);
  });
});

describe("a job refuses", () => {
  const args = { data: "tasks", out: "b.safetensors", layout: "padded" } as const;
  const check = (changes: object, config: object = {}) => {
    try {
      assertJobArguments(parseConfig(config), { ...args, ...changes });
      return "fits";
    } catch (error) {
      return (error as Error).message;
    }
  };
  const returns = { rollout: { agent: { concat_reward: "return", export_style: "concat" } } };
  const kept =
    "--keep-sessions requires --proxy or storage.directory: the job's own proxy ends with the job. `--sessions` writes the sessions to a file.";

  it.each<[object, object, string]>([
    [{}, {}, "fits"],
    [{ layout: "tree" }, {}, "fits"],
    [{}, returns, "fits"],
    [
      { layout: "tree" },
      returns,
      "rollout.agent.concat_reward must be leaf with --layout tree; received return. Each node of a tree is one turn.",
    ],
    [{ trainerMode: "batch", trainer: ["a"] }, {}, "fits"],
    [{ trainerMode: "batch" }, {}, "--trainer-mode requires --trainer"],
    [{ sessions: "own" }, {}, "fits"],
    [{ sessions: false }, {}, "fits"],
    ...["tasks", "./tasks", "b.safetensors", "b.safetensors.jsonl", "b.safetensors.metrics.jsonl"].map(
      (sessions): [object, object, string] => [
        { sessions },
        {},
        `--sessions ${sessions} must be a file of its own, but is another file of the job`,
      ],
    ),
    [{ keepSessions: true }, {}, kept],
    [{ keepSessions: true, proxy: "http://a" }, {}, "fits"],
    [{ keepSessions: true }, { storage: { directory: "/s" } }, "fits"],
  ])("%o with the configuration %o: %s", (changes, config, message) => {
    expect(check(changes, config)).toBe(message);
  });
});

describe("rolltape view refuses", () => {
  it.each([
    ["a", { maxBytes: 5 }, "--max-bytes is for --html."],
    ["a", { html: "b", port: 0 }, "--port and --html cannot be used together."],
  ])("%s %o", async (target, options, message) => {
    await expect(view(target, options)).rejects.toMatchObject({ code: "invalid_arguments", message });
  });
});

it("rolltape worker requires the key of its controller", async () => {
  vi.stubEnv("ROLLTAPE_ADMIN_API_KEY", undefined);
  const refused = worker([], { controller: "http://127.0.0.1:9", stoppedStatus: 0 });
  await expect(refused).rejects.toMatchObject({
    code: "invalid_arguments",
    message:
      "rolltape worker requires the admin key of its controller in ROLLTAPE_ADMIN_API_KEY or rollout.agent.admin_api_key",
  });
});

describe("rolltape config", () => {
  function print(overrides: readonly string[], startedBy?: "rollout" | "python"): string {
    let text = "";
    vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
      text += String(chunk);
      return true;
    });
    printConfig(overrides, { ...(startedBy && { startedBy }) });
    vi.restoreAllMocks();
    return text;
  }

  it("says of each value that is set where it comes from and who uses it", () => {
    const text = print(["server.port=0", "engine.type=vllm", "engine.urls=[http://a]", "model.path=/m"]);
    expect(text).toMatch(/^ {2}port: 0 # argument; used by .*serve/m);
    expect(text).toMatch(/^ {2}urls:\n( {4}# .*; used by .*\n) {4}- http:\/\/a$/m);
    expect(text).toMatch(/^ {2}log_level: info$/m);
  });

  it("says who chose the template type", () => {
    expect(print([], "rollout")).toMatch(
      /chat_template_type: concat # .+; hf if the chat template of the model does not allow concat$/m,
    );
    expect(print([])).toMatch(/chat_template_type: hf$/m);
  });
});

describe("the folder of a batch", () => {
  it("is made, and must take files", async () => {
    const folder = temporaryFolder();
    await requireWritable(join(folder, "new", "b.safetensors"));
    mkdirSync(join(folder, "taken"));
    await expect(requireWritable(join(folder, "taken"))).rejects.toThrow(
      `--out ${join(folder, "taken")} must be a file, but is a folder`,
    );
    writeFileSync(join(folder, "file"), "");
    await requireWritable(join(folder, "file"));
    await expect(requireWritable(join(folder, "file", "b"), "--sessions")).rejects.toThrow(
      /^--sessions .*file\/b cannot be written: .*(ENOTDIR|EEXIST)/,
    );
    await expect(requireWritable("/dev/null")).rejects.toMatchObject({ code: "invalid_arguments" });
  });

  it("for shared memory may be missing only if it is the default", async () => {
    expect(await sharedMemoryProblems(parseConfig({ server: { shared_memory_directory: temporaryFolder() } }))).toEqual(
      [],
    );
    const config = parseConfig({ server: { shared_memory_directory: "/no/such/folder" } });
    await expect(sharedMemoryProblems(config)).rejects.toMatchObject({
      problems: [
        { path: "server.shared_memory_directory", message: expect.stringContaining("/no/such/folder") as string },
      ],
    });
  });
});

describe("the proxy of a job", () => {
  async function check(answers: Readonly<Record<string, readonly [number, unknown]>>) {
    const server = await startRecordingServer({}, async ({ path }, response) => {
      const [status, body] = answers[path] ?? [200, { status: "ok" }];
      response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));
    });
    try {
      const refusal = await requireProxy({ url: `${server.url}//`, adminKey: "key" }).then(
        () => undefined,
        ({ code, message }: { code: string; message: string }) => [code, message.replaceAll(server.url, "URL")],
      );
      return {
        refusal,
        asked: server.requests.map(({ url, headers }) => [url.pathname + url.search, headers.authorization]),
      };
    } finally {
      await server.close();
    }
  }

  it("is asked whether it is ready, and whether it takes the key", async () => {
    expect(await check({})).toEqual({
      refusal: undefined,
      asked: [
        ["/health", "Bearer key"],
        ["/rl/sessions?limit=1", "Bearer key"],
      ],
    });
  });

  const refuses = "refuses the admin key in ROLLTAPE_ADMIN_API_KEY or rollout.agent.admin_api_key";

  it.each<[Record<string, readonly [number, unknown]>, string, string]>([
    [
      { "/health": [503, { status: "starting", message: "loading" }] },
      "proxy_failed",
      "is not ready (HTTP 503): starting: loading",
    ],
    [{ "/health": [503, { status: "starting" }] }, "proxy_failed", "is not ready (HTTP 503): starting"],
    [{ "/health": [502, "bad gateway"] }, "proxy_failed", "is not ready (HTTP 502): no reason given"],
    [{ "/health": [401, {}] }, "invalid_arguments", `${refuses} (HTTP 401).`],
    [{ "/rl/sessions": [403, {}] }, "invalid_arguments", `${refuses} (HTTP 403).`],
  ])("is refused for %o", async (answers, code, message) => {
    const { refusal } = await check(answers);
    expect(refusal?.[0]).toBe(code);
    expect(refusal?.[1]).toContain(`--proxy URL// ${message}`);
  });

  it("is refused if it cannot be reached", async () => {
    const refused = requireProxy({ url: "http://127.0.0.1:1", adminKey: "key" });
    await expect(refused).rejects.toMatchObject({ code: "proxy_failed" });
    await expect(refused).rejects.toThrow(/^--proxy: http:\/\/127\.0\.0\.1:1\/health cannot be reached: .+/);
  });
});

it("the first signal stops a command, until its listeners are removed", () => {
  const stop = vi.fn<() => void>();
  const before = [process.listenerCount("SIGINT"), process.listenerCount("SIGTERM")];
  const remove = onInterrupt(stop);
  process.emit("SIGTERM");
  expect(stop).toHaveBeenCalledOnce();
  remove();
  expect([process.listenerCount("SIGINT"), process.listenerCount("SIGTERM")]).toEqual(before);
});
