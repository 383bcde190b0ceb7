import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ensureTinyModel } from "../../src/engine/index.js";
import { findFreePort } from "../../src/scheduler/free-port.js";
import { startSglangServer } from "../helpers/sglang/sglang-server.js";
import { until } from "../helpers/until.js";
import { startVllmServer } from "../helpers/vllm/vllm-server.js";
import { writeModelFolder } from "../model/support/model-folder.js";
import { AGENT, rolloutJob, TIMES } from "./rollout/rollout-job.js";
import { rolltape, runRolltape, temporaryFolder } from "./rolltape.js";

/** A template with calls of no known family. */
const UNKNOWN_CALLS =
  "{% for t in tools or [] %}<<tool {{ t.function.name }}>>{% endfor %}" +
  "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}" +
  "{% for c in m.tool_calls or [] %}<<call {{ c.function.name }}>>{% endfor %}<|im_end|>\n{% endfor %}" +
  "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

/** With every flag that Rolltape asks for. */
const SEEDED = { serverInfo: { enable_deterministic_inference: true } };

const KEY = "sk-admin-0123456789abcdef";
const withKey = { ROLLTAPE_ADMIN_API_KEY: KEY };

/** Returns the overrides for an engine with servers at these addresses. */
async function engine(type: "sglang" | "vllm", ...urls: readonly string[]): Promise<string[]> {
  const { folder } = await ensureTinyModel();
  return [`engine.type=${type}`, `engine.urls=[${urls.join(",")}]`, `model.path=${folder}`];
}

async function closedAddress(): Promise<string> {
  return `http://127.0.0.1:${await findFreePort()}`;
}

async function closing<T extends { readonly url: string; close(): Promise<void> }>(server: Promise<T>): Promise<T> {
  const started = await server;
  onTestFinished(() => started.close());
  return started;
}

/** Returns the arguments and the folder of a job with one task. */
function jobArgs(): { args: string[]; folder: string } {
  const { args, folder } = rolloutJob([{ question: "why?", reward: 1 }]);
  return { args: [...args, "--agent", AGENT], folder };
}

async function stateMetrics(url: string): Promise<string[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return [...text.matchAll(/^rolltape_engine_server_state\{.*state="(\w+)"\} 1$/gm)].map(([, state = ""]) => state);
}

describe("rolltape rollout, before the first task", TIMES, () => {
  it("ends with status 1 if no engine server can be reached, and names key and address of each", async () => {
    const [a, b] = [await closedAddress(), await closedAddress()];
    const { args, folder } = jobArgs();
    const ended = await runRolltape([...args, ...(await engine("sglang", a, b))]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toBe(
      "rolltape: the engine is not ready, so no task was started:\n" +
        `  engine.urls: The engine at ${a} cannot be reached (ECONNREFUSED).\n` +
        `  engine.urls: The engine at ${b} cannot be reached (ECONNREFUSED).\n`,
    );
    expect(readdirSync(join(folder, "out"))).toEqual([]);
  });

  it("warns of an engine server that cannot be reached, and goes on with the others", async () => {
    const [alive, dead] = [await closing(startSglangServer()), await closedAddress()];
    const ended = await runRolltape([...jobArgs().args, ...(await engine("sglang", alive.url, dead))]);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stderr).toContain(`rolltape: warning: engine.urls: The engine at ${dead} cannot be reached`);
  });

  it("ends with status 2 if the engine does not serve the model that the configuration names", async () => {
    const server = await closing(startVllmServer({ model: "tiny" }));
    const args = [...(await engine("vllm", server.url)), "engine.served_model=tinny"];
    const ended = await runRolltape([...jobArgs().args, ...args]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain(
      `  engine.served_model: ${server.url}: The engine does not serve the model tinny.\n`,
    );
  });

  it("warns of a server that is too busy to report its models, and goes on", async () => {
    const busy = await closing(startSglangServer({ silentPaths: ["/server_info", "/get_server_info"] }));
    const job = rolltape([...jobArgs().args, ...(await engine("sglang", busy.url)), "engine.timeout_seconds=1"]);
    await job.logged(`rolltape: warning: engine.urls: ${busy.url}: The engine did not report its model within 5 s.`);
    await until(() => busy.to("/server_info").length > 1);
    expect(job.process.exitCode).toBeNull();
  });

  it.each(["sglang", "vllm"] as const)(
    "ends with status 2 if %s refuses the API key, and names the key",
    async (type) => {
      const options = { apiKey: "sk-of-the-engine" };
      const server = await (type === "sglang"
        ? closing(startSglangServer(options))
        : closing(startVllmServer(options)));
      const ended = await runRolltape([
        ...jobArgs().args,
        ...(await engine(type, server.url)),
        "engine.api_key=sk-other",
      ]);
      expect(ended).toMatchObject({ code: 2, stdout: "" });
      expect(ended.stderr).toContain(`  engine.api_key: ${server.url}: The engine refused the API key (HTTP 401).\n`);
    },
  );

  it("ends with status 2 if the configured shared-memory folder does not exist", async () => {
    const folder = join(temporaryFolder(), "none");
    const ended = await runRolltape([...jobArgs().args, `server.shared_memory_directory=${folder}`]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain(`  server.shared_memory_directory: no file can be created in ${folder}: ENOENT`);
  });

  it.each(["/proc/none/batch.safetensors", "/dev/null/batch.safetensors", "/proc/batch.safetensors"])(
    "ends with status 2 if --out is %s",
    async (out) => {
      const ended = await runRolltape([...jobArgs().args, "--out", out]);
      expect(ended).toMatchObject({ code: 2, stdout: "" });
      const start = `rolltape: --out ${out} cannot be written: `;
      expect(ended.stderr).toMatch(new RegExp(`^${start}(no file can be created in /proc: )?E`, "m"));
      expect(ended.stderr).not.toContain("probe");
    },
  );

  it("ends with status 1 if the engine of the proxy is dead, and with 2 if the admin key is wrong", async () => {
    const dead = rolltape(["serve", "server.port=0", ...(await engine("sglang", await closedAddress()))], withKey);
    const { url } = await dead.ready();
    const refused = await runRolltape([...jobArgs().args, "--proxy", url], withKey);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/--proxy \S+ is not ready \(HTTP 503\): engine_unavailable: .*ECONNREFUSED/);
    const alive = rolltape(["serve", "server.port=0"], withKey);
    const other = { ROLLTAPE_ADMIN_API_KEY: "sk-admin-of-another-proxy" };
    const { url: open } = await alive.ready();
    const ended = await runRolltape([...jobArgs().args, "--proxy", open], other);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain(`--proxy ${open} refuses the admin key in ROLLTAPE_ADMIN_API_KEY`);
  });
});

describe("the ready line of rolltape serve", TIMES, () => {
  it("lists engine servers that are not ready; the metrics show them too, and later changes", async () => {
    const port = await findFreePort();
    const dead = `http://127.0.0.1:${port}`;
    const serving = rolltape(["serve", "server.port=0", ...(await engine("sglang", dead))], withKey);
    const { url, not_ready: problems } = await serving.ready();
    expect(problems).toEqual([
      { key: "engine.urls", message: `The engine at ${dead} cannot be reached (ECONNREFUSED).` },
    ]);
    expect(await stateMetrics(url)).toEqual(["down"]);
    await closing(startSglangServer({ port }));
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(await stateMetrics(url)).toEqual(["up"]);
  });

  it("has no field not_ready if all servers are ready, and no warnings if calls are read and enforced", async () => {
    const server = await closing(startSglangServer(SEEDED));
    const serving = rolltape(["serve", "server.port=0", ...(await engine("sglang", server.url))], withKey);
    const line = await serving.ready();
    expect(line).not.toHaveProperty("not_ready");
    expect(line).not.toHaveProperty("warnings");
  });

  it("warns that the model's tool calls are not read, as the log and /health do", async () => {
    const server = await closing(startSglangServer(SEEDED));
    const folder = writeModelFolder(UNKNOWN_CALLS, ["<|im_end|>"]);
    const urls = `engine.urls=[${server.url}]`;
    const serving = rolltape(["serve", "server.port=0", "engine.type=sglang", urls, `model.path=${folder}`], withKey);
    const { url, warnings } = await serving.ready();
    const message = "The chat template shows tools, but no family of tool calls is detected";
    expect(warnings).toEqual([
      { key: "rollout.agent.tool_call_parser", message: expect.stringContaining(message) as unknown },
    ]);
    await serving.logged(message);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: "ok", warnings });
  });

  it("has no field not_ready for a server that was only too slow to report its models; the log has a warning", async () => {
    const busy = await closing(startSglangServer({ silentPaths: ["/server_info", "/get_server_info"] }));
    const serving = rolltape(["serve", "server.port=0", ...(await engine("sglang", busy.url))], withKey);
    expect(await serving.ready()).not.toHaveProperty("not_ready");
    await serving.logged("The engine did not report its model within 5 s.");
  });

  it("warns of an endpoint that a flag of the engine server opens", async () => {
    const server = await closing(startVllmServer({ scaleOut: false }));
    const serving = rolltape(["serve", "server.port=0", ...(await engine("vllm", server.url))], withKey);
    const { warnings } = await serving.ready();
    const message = expect.stringMatching(/^http.*Start vLLM with `--enable-scale-out`\.$/) as unknown;
    expect(warnings).toContainEqual({ key: "engine.urls", message });
    await serving.logged("--enable-scale-out");
  });

  it("is not printed if the configured shared-memory folder is not usable", async () => {
    const folder = join(temporaryFolder(), "none");
    const ended = await runRolltape(["serve", "server.port=0", `server.shared_memory_directory=${folder}`]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain("  server.shared_memory_directory: no file can be created");
  });
});
