import { describe, expect, it, onTestFinished } from "vitest";
import { WeightsProgress } from "../../src/cli/commands/weights.js";
import type { WeightsStatus } from "../../src/client/weight-calls.js";
import type { Engine } from "../../src/engine/engine.js";
import { createSglangEngine } from "../../src/engine/index.js";
import { listeningProxy } from "../helpers/listening-proxy.js";
import { ADMIN_KEY } from "../helpers/proxy.js";
import { startSglangServer } from "../helpers/sglang/sglang-server.js";
import { rolltape } from "./rolltape.js";

const PATH = "/weights/step-7";
const KEY = { ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY };

async function start() {
  const server = await startSglangServer();
  const engine = createSglangEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 4 });
  onTestFinished(async () => {
    await engine.close();
    await server.close();
  });
  const { url } = await listeningProxy<Engine>({ engine });
  return { server, url };
}

const run = (args: readonly string[], env: Record<string, string> = KEY) => rolltape(["weights", ...args], env).ended;

describe("rolltape weights", () => {
  it("loads weights, and prints each server's version", async () => {
    const { server, url } = await start();
    const { code, stdout, stderr } = await run([url, "--version", "7", PATH]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^version 7, calls held for \d+\.\d{3} s\n/);
    expect(stdout).toMatch(`  ${server.url}  version 7, loaded in `);
    expect(server.scheduler.weights).toBe(PATH);
    const status = await run([url, "--status", "--json"]);
    expect(JSON.parse(status.stdout)).toMatchObject({ state: "idle", version: 7 });
  });

  it("says why an update failed and what each server has, and can be repeated or given up", async () => {
    const { server, url } = await start();
    server.loads.faults.push({ kind: "fail", message: "no such tensor" });
    const failed = await run([url, "--version", "7", PATH]);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain("version 0, update to 7: failed");
    expect(failed.stdout).toContain(`${server.url}  version unknown, failed`);
    expect(failed.stderr).toContain("no such tensor");
    expect(failed.stdout.match(/no such tensor/g)).toHaveLength(1); // with its server
    expect((await run([url, "--version", "7", PATH])).code).toBe(0);
    expect((await run([url, "--give-up"])).stdout).toContain("version 7");
  });

  it("splits an external update", async () => {
    const { server, url } = await start();
    expect((await run([url, "--version", "7", "--external"])).stdout).toContain("version 0, update to 7: external");
    server.scheduler.load("pushed");
    expect((await run([url, "--version", "7", "--finish"])).stdout).toContain("version 7");
  });

  it("refuses arguments that describe no call", async () => {
    const url = "http://127.0.0.1:9";
    const results = await Promise.all([
      run([url]),
      run([url, PATH]),
      run([url, "--version", "7", "--external", PATH]),
      run([url, "--version", "-1", PATH]),
      run([url, "--status"], {}),
      run(["--version", "7", PATH]),
      run(["localhost:9", "--status"]),
    ]);
    expect(results.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 2, 2]);
    expect(results[0]?.stderr).toContain("Expected one of PATH, --external, --finish, --give-up and --status.");
    expect(results[1]?.stderr).toContain("--version must be set");
    expect(results[4]?.stderr).toContain("ROLLTAPE_ADMIN_API_KEY must be set");
    expect(results[5]?.stderr).toContain(`The first argument must be the URL of a proxy, such as`);
    expect(results[6]?.stderr).toContain("received localhost:9.");
  });

  it("names the variable of a wrong key", async () => {
    const { url } = await start();
    const { code, stderr } = await run([url, "--status"], { ROLLTAPE_ADMIN_API_KEY: "sk-admin-of-another-proxy" });
    expect([code, stderr]).toEqual([
      1,
      "rolltape: The key is unknown or was revoked. ROLLTAPE_ADMIN_API_KEY must be the admin key of the proxy.\n",
    ]);
  });
});

describe("the progress of rolltape weights", () => {
  const status: WeightsStatus = {
    state: "loading",
    version: 6,
    targetVersion: 7,
    mode: "path",
    path: PATH,
    startedAt: 1,
    pausedSeconds: 1.25,
    checked: true,
    notChecked: null,
    error: null,
    servers: [
      { url: "http://a", version: 7, state: "loaded", seconds: 1, error: null },
      { url: "http://b", version: 6, state: "loading", seconds: null, error: null },
    ],
  };

  it("is one line on a terminal, and nothing elsewhere", () => {
    for (const [isTTY, expected] of [
      [true, ["\r\u001b[Kversion 7: loading, 1 of 2 servers loaded, calls held for 1.3 s", "\r\u001b[K"]],
      [false, []],
    ] as const) {
      const written: string[] = [];
      const progress = new WeightsProgress({ isTTY, write: (text) => written.push(text) });
      progress.show(status);
      progress.clear();
      expect(written).toEqual(expected);
    }
  });
});
