import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type JobInput, jobSchema } from "../../src/scheduler/job.js";
import type { LaunchedProcess, Launcher, ProcessPlan } from "../../src/scheduler/launcher.js";
import type { ProcessEnd } from "../../src/scheduler/process-end.js";
import { describeKept, type KeptSessions, runJob } from "../../src/scheduler/supervisor.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { until } from "../helpers/until.js";
import { readProcesses } from "./job.js";

afterEach(() => void vi.unstubAllEnvs());

const STOPPED = { code: 0, text: "was stopped" };

/** A process that runs until the test ends it, or the supervisor stops it. */
interface Launched {
  readonly name: string;
  readonly plan: ProcessPlan;
  readonly end: (code: number) => void;
}

/** Launches processes that only the test knows of. Each prints a ready line with its name as the host of its URL. */
class TestLauncher implements Launcher {
  readonly launched: Launched[] = [];
  readonly stopped: string[] = [];
  /** Names of processes that end with this status as soon as they start. */
  readonly ends = new Map<string, number>();
  failure: Error | undefined;
  url: string | undefined;
  /** Resolves when the processes that a process left behind are gone. */
  gone: Promise<void> = Promise.resolve();

  place() {
    return { node: "n", address: "10.0.0.1" };
  }

  async launch(plan: ProcessPlan): Promise<LaunchedProcess> {
    if (this.failure) throw this.failure;
    const name = `${plan.role}-${plan.index}`;
    let resolve: (end: ProcessEnd) => void = () => undefined;
    const ended = new Promise<ProcessEnd>((done) => (resolve = done));
    const end = (code: number) => resolve({ code, text: `ended with status ${code}` });
    this.launched.push({ name, plan, end });
    writeFileSync(plan.output, `${JSON.stringify({ url: this.url ?? `http://${name}` })}\n`);
    const code = this.ends.get(name);
    if (code !== undefined) end(code);
    const stop = async () => {
      this.stopped.push(name);
      resolve(STOPPED);
      await ended;
      await this.gone;
    };
    return { ended, stop, started: () => Promise.resolve("1234") };
  }

  /** Waits for the last start of a process. */
  async find(name: string): Promise<Launched> {
    const find = () => this.launched.findLast((each) => each.name === name);
    await until(() => find() !== undefined);
    return find() as Launched;
  }
}

type Role = JobInput["roles"][number];
const server = (role: Role["role"], count = 1): Role => ({ role, count, command: ["x"], ready: "line", restarts: 0 });
const CONTROLLER: Role = { role: "controller", command: ["train"] };

function start(roles: Role[], options: { signal?: AbortSignal; onKept?: (kept: KeptSessions) => void } = {}) {
  const folder = temporaryFolder();
  const launcher = new TestLauncher();
  const run = () => runJob(jobSchema.parse({ folder, roles }), { launcher, ...options });
  const states = () => readProcesses(folder).map(({ role, index, state }) => `${role}-${index} ${state}`);
  return { folder, launcher, run, states };
}

describe("a job", () => {
  it("starts roles in order, with the addresses of earlier ones, and stops them in the opposite order", async () => {
    const rollout: Role = {
      role: "rollout",
      count: 3,
      command: ["roll", "{index}", "{folder}", "{engine_urls}", "{proxy_url}", "{gateway_url}"],
      env: { A: "{proxy_url}" },
    };
    const { folder, launcher, run, states } = start([
      CONTROLLER,
      rollout,
      server("gateway"),
      server("proxy", 2),
      server("engine", 2),
    ]);
    mkdirSync(join(folder, "workers"));
    writeFileSync(join(folder, "processes.json"), "old");
    const running = run();
    expect(existsSync(join(folder, "workers"))).toBe(false);
    const controller = await launcher.find("controller-0");
    const engines = '["http://engine-0","http://engine-1"]';
    expect(launcher.launched.map(({ name }) => name)).toEqual([
      "engine-0",
      "engine-1",
      "proxy-0",
      "proxy-1",
      "gateway-0",
      "rollout-0",
      "rollout-1",
      "rollout-2",
      "controller-0",
    ]);
    const last = (await launcher.find("rollout-2")).plan;
    expect(last.command).toEqual(["roll", "2", folder, engines, "http://proxy-0", "http://gateway-0"]);
    expect((await launcher.find("rollout-1")).plan.env).toEqual({ A: "http://proxy-1" });
    await until(() => states().includes("controller-0 ready"));
    expect(readProcesses(folder)[0]).toEqual({
      role: "engine",
      index: 0,
      node: "n",
      state: "ready",
      restarts: 0,
      url: "http://engine-0",
    });
    controller.end(0);
    await running;
    const roles = launcher.stopped.map((name) => name.replace(/-.*/, ""));
    expect([...new Set(roles)]).toEqual(["controller", "rollout", "gateway", "proxy", "engine"]);
    expect(readProcesses(folder)).toMatchObject([
      ...Array.from({ length: 8 }, () => ({ state: "stopped", ended: "was stopped" })),
      { state: "done", ended: "ended with status 0" },
    ]);
    expect(readProcesses(folder)[0]).not.toHaveProperty("url");
  });

  it("fails if its controller fails, with the end of its log", async () => {
    const { launcher, run, folder } = start([{ ...CONTROLLER, restarts: 0 }]);
    launcher.ends.set("controller-0", 3);
    await expect(run()).rejects.toMatchObject({
      code: "job_failed",
      message: expect.stringMatching(/^The controller ended with status 3\. .*controller-0\.err/) as string,
    });
    expect(readProcesses(folder)).toMatchObject([{ state: "lost", ended: "ended with status 3" }]);
  });

  it("goes on without some processes of a role, and fails without all of them", async () => {
    const { launcher, run, states } = start([CONTROLLER, server("engine", 2)]);
    launcher.ends.set("engine-0", 7);
    const running = run().catch((error: unknown) => error);
    await until(() => existsSync(join(launcher.launched[0]?.plan.output ?? "", "..")));
    await launcher.find("controller-0");
    expect(states()[0]).toBe("engine-0 lost");
    (await launcher.find("engine-1")).end(8);
    expect(await running).toMatchObject({
      code: "job_failed",
      message: expect.stringMatching(
        /^All processes of role engine are lost\. The first one ended with status 7\. .*engine-0\.err/,
      ) as string,
    });
  });

  it("starts a process again that ends too early, until it has no restarts left", async () => {
    const { folder, launcher, run } = start([{ ...CONTROLLER, restarts: 1 }]);
    launcher.ends.set("controller-0", 1);
    await expect(run()).rejects.toMatchObject({ code: "job_failed" });
    expect(launcher.launched).toHaveLength(2);
    expect(readProcesses(folder)).toMatchObject([{ state: "lost", restarts: 1 }]);
  });

  it("starts a process again only when those that it left behind are gone", async () => {
    const { launcher, run } = start([{ ...CONTROLLER, restarts: 1 }]);
    let leave: () => void = () => undefined;
    launcher.gone = new Promise((resolve) => (leave = resolve));
    const running = run();
    (await launcher.find("controller-0")).end(1);
    await until(() => launcher.stopped.length > 0);
    // Longer than the pause before a restart.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(launcher.launched).toHaveLength(1);
    leave();
    await until(() => launcher.launched.length > 1);
    (await launcher.find("controller-0")).end(0);
    await running;
  });

  it("does not start a process again after it was told to stop", async () => {
    const stop = new AbortController();
    const { launcher, run, states } = start([{ ...CONTROLLER, restarts: 1 }], { signal: stop.signal });
    const running = run().catch((error: unknown) => error);
    (await launcher.find("controller-0")).end(1);
    await until(() => states().includes("controller-0 restarting"));
    stop.abort();
    await running;
    expect(launcher.launched).toHaveLength(1);
    expect(states()).toEqual(["controller-0 stopped"]);
  });

  it("says why a process did not start", async () => {
    const { launcher, run } = start([{ ...CONTROLLER, restarts: 0 }]);
    launcher.failure = new Error("disk full");
    await expect(run()).rejects.toThrow(/^The controller did not start: disk full\. /);
  });

  it("is ready when a server answers at a URL of its own port", async () => {
    const paths: (string | undefined)[] = [];
    const http = createServer((request, reply) => {
      paths.push(request.url);
      reply.writeHead(paths.length === 1 ? 503 : 204).end();
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void http.close());
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const engine: Role = { ...server("engine"), ready: { url: `${origin}/health?port={port}&node={node}` } };
    const { folder, launcher, run } = start([CONTROLLER, engine]);
    const running = run();
    const controller = await launcher.find("controller-0");
    expect(paths).toEqual(["/health?port=1234&node=10.0.0.1", "/health?port=1234&node=10.0.0.1"]);
    expect(readProcesses(folder)[0]).toMatchObject({ url: origin });
    controller.end(0);
    await running;
  });

  it("gives up a process that is not ready in time", async () => {
    const engine: Role = { ...server("engine"), ready: { url: "http://127.0.0.1:9" }, ready_seconds: 0.05 };
    const { folder, launcher, run } = start([CONTROLLER, engine]);
    await expect(run()).rejects.toThrow(/The first one not ready in time, was stopped/);
    expect(launcher.stopped).toContain("engine-0");
    expect(readProcesses(folder)[0]).toMatchObject({ state: "lost" });
  });
});

describe("a job that failed", () => {
  const KEY = "sk-admin-of-a-job";

  /** Starts proxies that have as many sessions as `counts` says, one after the other. */
  async function startProxies(counts: number[]): Promise<string> {
    const http = createServer((_, reply) => {
      const count = counts.length > 1 ? (counts.shift() ?? 0) : (counts[0] ?? 0);
      reply.end(JSON.stringify({ sessions: Array(count).fill({}) }));
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void http.close());
    return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  }

  async function fail(counts: number[], env: Record<string, string>, signal?: AbortSignal) {
    const kept: KeptSessions[] = [];
    const roles = [
      { ...CONTROLLER, restarts: 0 },
      { ...server("proxy"), env },
    ];
    const { launcher, run, states } = start(roles, { ...(signal && { signal }), onKept: (each) => kept.push(each) });
    launcher.url = await startProxies(counts);
    launcher.ends.set("controller-0", 2);
    const running = run().catch((error: unknown) => error);
    return { kept, launcher, running, states };
  }

  it("keeps its proxies while they have sessions, until the signal aborts", async () => {
    const stop = new AbortController();
    const { kept, launcher, running, states } = await fail([3], { ROLLTAPE_ADMIN_API_KEY: KEY }, stop.signal);
    await until(() => kept.length > 0);
    const [{ url, count, error } = { url: "", count: 0, error: undefined }] = kept;
    expect({ url, count }).toEqual({ url: launcher.url, count: 3 });
    expect(error?.message).toMatch(/^The controller ended with status 2/);
    expect(states()).toEqual(["proxy-0 ready", "controller-0 lost"]);
    stop.abort();
    expect(await running).toBe(error);
    expect(states()[0]).toBe("proxy-0 stopped");
    expect(describeKept(kept[0] as KeptSessions)).toContain(
      `3 finished sessions that were not exported. ${url}/rl/sessions`,
    );
  });

  it("keeps its proxies without a signal until their sessions are gone", async () => {
    const { kept, running, states } = await fail([3, 0], { ROLLTAPE_ADMIN_API_KEY: KEY });
    expect(await running).toMatchObject({ code: "job_failed" });
    expect(kept.map(({ count }) => count)).toEqual([3]);
    expect(states()[0]).toBe("proxy-0 stopped");
  });

  it("keeps nothing without sessions", async () => {
    const { kept, running } = await fail([0], { ROLLTAPE_ADMIN_API_KEY: KEY });
    expect(await running).toMatchObject({ code: "job_failed" });
    expect(kept).toEqual([]);
  });

  it("keeps nothing without an admin key, and takes that of its own environment", async () => {
    vi.stubEnv("ROLLTAPE_ADMIN_API_KEY", undefined);
    const without = await fail([3], {});
    expect(await without.running).toMatchObject({ code: "job_failed" });
    expect(without.kept).toEqual([]);
    vi.stubEnv("ROLLTAPE_ADMIN_API_KEY", KEY);
    const stop = new AbortController();
    const own = await fail([3], {}, stop.signal);
    await until(() => own.kept.length > 0);
    stop.abort();
    await own.running;
  });
});
