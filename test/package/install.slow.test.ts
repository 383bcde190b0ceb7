import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { readSafetensors } from "../helpers/safetensors.js";
import { CleanRoot, canMakeCleanRoot } from "./clean-root.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ADDONS = ["x64", "arm64"].map((arch) => `prebuilds/linux-${arch}/rolltape.node`);
const arePrebuilt = ADDONS.every((addon) => existsSync(join(ROOT, addon)));
const runs = process.platform === "linux" && arePrebuilt && canMakeCleanRoot();

const MAX_TARBALL_BYTES = 15e6;
const ADMIN_KEY = "sk-admin-of-the-clean-root";

describe.skipIf(!runs)("the npm package, in a root without compiler, on an empty home and npm cache", () => {
  let root: CleanRoot;
  let installed: string;
  let tarball: string;

  beforeAll(async () => {
    root = new CleanRoot();
    installed = root.path("root/project/node_modules");
    const to = root.path("root");
    // The test runner has built dist/.
    const options = ["--ignore-scripts", "--silent", "--pack-destination", to];
    tarball = join(to, execFileSync("npm", ["pack", ...options], { cwd: ROOT, encoding: "utf8" }).trim());
    copyFileSync(tarball, root.path("root/rolltape.tgz"));
    writeFileSync(root.path("root/project/package.json"), JSON.stringify({ name: "project", private: true }));
    const { code, output } = await root.run(["npm", "install", "--foreground-scripts", "/root/rolltape.tgz"]);
    if (code !== 0) throw new Error(`npm install ended with status ${code}: ${output}`);
  }, 600_000);

  afterAll(() => root.remove());

  it("is below 15 MB and has an addon for each architecture", () => {
    expect(statSync(tarball).size).toBeLessThan(MAX_TARBALL_BYTES);
    for (const addon of ADDONS) expect(existsSync(join(installed, "rolltape", addon))).toBe(true);
  });

  it("installs no compiled addon, no build of llama.cpp for GPUs, and nothing outside of node_modules", () => {
    expect(existsSync(join(installed, "rolltape", "build"))).toBe(false);
    expect(existsSync(join(installed, "node-llama-cpp"))).toBe(false);
    const binaries = readdirSync(join(installed, "@node-llama-cpp"));
    expect(binaries.filter((name) => !/^linux-(x64|arm64)$/.test(name))).toEqual([]);
    expect(binaries).toContain(`linux-${process.arch}`);
    expect(readdirSync(root.path("root")).sort()).toEqual([".npm", "project", "rolltape-0.1.0.tgz", "rolltape.tgz"]);
  });

  it("runs npx rolltape demo", { timeout: 300_000 }, async () => {
    const { code, output } = await root.run(["npx", "rolltape", "demo"]);
    expect([code, output]).toEqual([0, expect.stringContaining("episodes 12/12")]);
    const { tensors } = readSafetensors(readFileSync(root.path("root/project/out/batch.safetensors")));
    expect(tensors["rewards"]?.shape[0]).toBeGreaterThan(12);
  });

  it("runs npx rolltape serve: one call, and its export", { timeout: 300_000 }, async () => {
    const key = `rollout.agent.admin_api_key=${ADMIN_KEY}`;
    const server = root.start(["npx", "rolltape", "serve", "server.port=0", key]);
    onTestFinished(() => void server.kill("SIGKILL"));
    const log: string[] = [];
    server.stderr.setEncoding("utf8").on("data", (text: string) => log.push(text));
    const ended = once(server, "close").then(() => Promise.reject(new Error(log.join(""))));
    const [line] = (await Promise.race([once(createInterface(server.stdout), "line"), ended])) as [string];
    ended.catch(() => undefined);
    const { url } = JSON.parse(line) as { url: string };
    const post = async (path: string, as: string, body: object) => {
      const headers = { authorization: `Bearer ${as}`, "content-type": "application/json" };
      const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
      expect(response.status).toBe(200);
      return response;
    };
    await post("/grant_capacity", ADMIN_KEY, { slots: 1 });
    const started = await post("/rl/start_session", ADMIN_KEY, { task_id: "math" });
    const session = (await started.json()) as { session_id: string; session_api_key: string };
    const messages = [{ role: "user", content: "1+1?" }];
    await post("/v1/chat/completions", session.session_api_key, { messages, max_tokens: 16 });
    await post("/rl/set_reward", session.session_api_key, { reward: 1 });
    await post("/rl/end_session", session.session_api_key, {});
    const batch = await post("/export_batch", ADMIN_KEY, { session_ids: [session.session_id] });
    const { tensors } = readSafetensors(Buffer.from(await batch.arrayBuffer()));
    expect(tensors["rewards"]?.shape).toEqual([1]);
  });
});
