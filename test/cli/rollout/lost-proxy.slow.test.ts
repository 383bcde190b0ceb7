import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { findFreePort } from "../../../src/scheduler/free-port.js";
import { readProcesses } from "../../scheduler/job.js";
import { rolltape } from "../rolltape.js";
import { AGENT, readBatch, readTag, rolloutJob, TIMES, workersIn } from "./rollout-job.js";

const FINISHED = 10;
const WAITING = 20;
const REWARDS = Array.from({ length: FINISHED + WAITING }, (_, reward) => reward);

/** A job whose first tasks finish at once, and whose others wait until the test opens the gate. */
function gatedJob() {
  const job = rolloutJob([]);
  const gate = join(job.folder, "gate");
  const tasks = REWARDS.map((reward) => ({ question: "?", reward, ...(reward < FINISHED ? {} : { until: gate }) }));
  writeFileSync(job.data, tasks.map((task) => JSON.stringify(task)).join("\n"));
  return { ...job, openGate: () => writeFileSync(gate, "") };
}

/** Counts the agents that wait at the gate, in the logs of a job's rollout workers. */
function countWaiting(logs: string): number {
  if (!existsSync(logs)) return 0;
  const texts = readdirSync(logs).flatMap((name) =>
    /^rollout-.*\.err$/.test(name) ? [readFileSync(join(logs, name), "utf8")] : [],
  );
  return texts.join("").match(/an agent waits on/g)?.length ?? 0;
}

const LONG = { timeout: 100_000, interval: 100 };

describe("a rollout whose proxy dies alone", TIMES, () => {
  it("accepts every task of a job with a folder: running episodes run again, uncounted", async () => {
    const { args, out, folder, openGate } = gatedJob();
    const jobFolder = join(folder, "job");
    const more = ["--agent", AGENT, "--job-folder", jobFolder, "--proxy-workers", "2", "--workers", "2"];
    const running = rolltape([...args, ...more, "rollout.worker_concurrency=15"]);
    await expect.poll(() => countWaiting(join(jobFolder, "logs")), LONG).toBe(WAITING);
    const proxies = () => readProcesses(jobFolder).filter(({ role }) => role === "proxy");
    const [first] = proxies();
    process.kill(readPid(jobFolder, "proxy-0"), "SIGKILL");
    await expect.poll(() => proxies()[0], LONG).toMatchObject({ state: "ready", restarts: 1, url: first?.url });
    openGate();
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/^episodes +30 accepted, 0 rejected\n/);
    expect([...new Set(readBatch(out).rewards)].toSorted((a, b) => a - b)).toEqual(REWARDS);
  });

  it.each([
    ["in the job's own process", []],
    ["on rollout workers", ["--workers", "2"]],
  ])("waits for a proxy with storage that comes back at its address (agents run %s)", async (_, workers) => {
    const env = { ROLLTAPE_ADMIN_API_KEY: "sk-admin-of-all-processes" };
    const { args, out, folder, openGate } = gatedJob();
    const port = await findFreePort();
    const serve = () =>
      rolltape(["serve", `server.port=${port}`, `storage.directory=${join(folder, "sessions")}`], env);
    const proxy = serve();
    const { url } = await proxy.ready();
    const running = rolltape([...args, "--agent", AGENT, "--proxy", url, ...workers], env);
    await running.loggedMatch(new RegExp(`(an agent waits on \\S+\\n[^]*){${WAITING}}`));
    proxy.process.kill("SIGKILL");
    await proxy.ended;
    openGate();
    await sleep(3_000);
    await serve().ready();
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/^episodes +30 accepted, 0 rejected\n/);
    expect([...new Set(readBatch(out).rewards)].toSorted((a, b) => a - b)).toEqual(REWARDS);
  });

  it.each([
    ["in the job's own process", []],
    ["on rollout workers", ["--workers", "2"]],
  ])("ends with a sentence and status 1 if the proxy does not come back (agents run %s)", async (_, workers) => {
    const env = { ROLLTAPE_ADMIN_API_KEY: "sk-admin-of-all-processes" };
    const { args, openGate } = gatedJob();
    const proxy = rolltape(["serve", "server.port=0"], env);
    const { url } = await proxy.ready();
    const more = ["--agent", AGENT, "--proxy", url, ...workers, "rollout.proxy_wait_seconds=2"];
    const running = rolltape([...args, ...more], env);
    await running.loggedMatch(new RegExp(`(an agent waits on \\S+\\n[^]*){${WAITING}}`));
    proxy.process.kill("SIGKILL");
    openGate();
    const ended = await running.ended;
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(`the proxy ${url} did not answer for 2 s (rollout.proxy_wait_seconds)`);
  });

  it("accepts every task behind a gateway whose worker dies", async () => {
    const { args, out, folder, openGate } = gatedJob();
    const more = ["--agent", AGENT, "--proxy-workers", "3", "--workers", "2"];
    const running = rolltape([...args, ...more], { TMPDIR: folder });
    const [, key = ""] = await running.loggedMatch(new RegExp(`(?:an agent waits on (\\S+)\\n[^]*){${WAITING}}`));
    process.kill(workersIn(folder).get(readTag(key)) ?? 0, "SIGKILL");
    await running.logged("a proxy worker ended with SIGKILL; its sessions are lost, and it is restarted");
    openGate();
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/^episodes +30 accepted, 0 rejected\n/);
    expect([...new Set(readBatch(out).rewards)].toSorted((a, b) => a - b)).toEqual(REWARDS);
  });
});

describe("a job with a folder and without storage", TIMES, () => {
  const env = { ROLLTAPE_ADMIN_API_KEY: "sk-admin-of-all-processes" };

  async function waitingJob(finished: (url: string) => Promise<boolean>) {
    const { args, out, folder, openGate } = gatedJob();
    const jobFolder = join(folder, "job");
    const more = ["--agent", AGENT, "--job-folder", jobFolder, "--proxy-workers", "2", "--workers", "2"];
    const running = rolltape([...args, ...more, "rollout.worker_concurrency=15"], env);
    await expect.poll(() => countWaiting(join(jobFolder, "logs")), LONG).toBe(WAITING);
    const find = (role: string) => readProcesses(jobFolder).find((each) => each.role === role);
    await expect.poll(() => finished(find("gateway")?.url ?? ""), LONG).toBe(true);
    return { out, jobFolder, running, find, openGate };
  }

  it("finds its gateway again, which comes back at its address", async () => {
    const { out, jobFolder, running, find, openGate } = await waitingJob(() => Promise.resolve(true));
    const { url } = find("gateway") ?? {};
    process.kill(readPid(jobFolder, "gateway-0"), "SIGKILL");
    // The batch is complete before the gateway is back.
    openGate();
    const ended = await running.ended;
    expect(find("gateway")).toMatchObject({ restarts: 1, state: "stopped" });
    expect(new URL(url ?? "").port).toBe(new URL(readUrl(jobFolder, "gateway-0")).port);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/^episodes +30 accepted, 0 rejected\n/);
    expect([...new Set(readBatch(out).rewards)].toSorted((a, b) => a - b)).toEqual(REWARDS);
  });

  it("keeps the proxies of a controller that died too often until their sessions are gone", async () => {
    const headers = { authorization: `Bearer ${env.ROLLTAPE_ADMIN_API_KEY}` };
    const list = async (url: string) => {
      const reply = await fetch(`${url}/rl/sessions?state=ended`, { headers });
      return ((await reply.json()) as { sessions: { session_id: string }[] }).sessions;
    };
    const { running, find, jobFolder } = await waitingJob(async (url) => (await list(url)).length === FINISHED);
    const { url = "" } = find("gateway") ?? {};
    let killed = 0;
    for (let restarts = 0; restarts <= 3; restarts++) {
      await expect.poll(() => findPid(jobFolder, "controller-0") ?? killed, LONG).not.toBe(killed);
      killed = readPid(jobFolder, "controller-0");
      process.kill(killed, "SIGKILL");
    }
    await running.logged("10 finished sessions that were not exported");
    expect(find("proxy")).toMatchObject({ state: "ready" });
    for (const { session_id } of await list(url))
      await fetch(`${url}/rl/sessions/${session_id}`, { method: "DELETE", headers });
    expect(await running.ended).toMatchObject({ code: 1 });
  });
});

/** Returns the process id in the ready line of a process; undefined before it is ready. */
function findPid(jobFolder: string, name: string): number | undefined {
  return readFileSync(join(jobFolder, "logs", `${name}.out`), "utf8").includes("\n")
    ? readPid(jobFolder, name)
    : undefined;
}

/** Returns the process id in the ready line of a process. */
function readPid(jobFolder: string, name: string): number {
  const [line = ""] = readFileSync(join(jobFolder, "logs", `${name}.out`), "utf8").split("\n");
  return (JSON.parse(line) as { pid: number }).pid;
}

function readUrl(jobFolder: string, name: string): string {
  const [line = ""] = readFileSync(join(jobFolder, "logs", `${name}.out`), "utf8").split("\n");
  return (JSON.parse(line) as { url: string }).url;
}
