import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RolloutStatus } from "../../../src/rollout/lease/protocol.js";
import { isGone } from "../../helpers/is-gone.js";
import { until } from "../../helpers/until.js";
import { rolltape, runRolltape } from "../rolltape.js";
import { AGENT, readBatch, rolloutJob, TIMES } from "./rollout-job.js";

/** Returns the ids of the processes that a process has started and that run `rolltape worker`. */
function workersOf(parent: number | undefined): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [, state, parentId] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? [];
      const isWorker = readFileSync(`/proc/${name}/cmdline`, "utf8").includes("\0worker\0");
      return isWorker && state !== "Z" && Number(parentId) === parent ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

const twice = (rewards: number[]) => rewards.flatMap((reward) => [reward, reward]);

describe("rolltape rollout --workers", TIMES, () => {
  it("writes the same batch as one process, in the order of the tasks", async () => {
    const { out, args } = rolloutJob([0, 1, 2, 3].map((reward) => ({ question: "why?", reward })));
    const ended = await runRolltape([...args, "--agent", AGENT, "--workers", "2", "--group-size", "2"]);
    expect(ended).toMatchObject({ code: 0 });
    expect(readBatch(out).rewards).toEqual(twice(twice([0, 1, 2, 3])));
    expect(ended.stdout).toMatch(/^episodes +8 accepted, 0 rejected\n/);
  });

  it("runs the tasks of a worker that is killed again, so that the batch has every task", async () => {
    const { out, args, folder } = rolloutJob([]);
    const gate = join(folder, "gate");
    const tasks = [0, 1, 2, 3].map((reward) => JSON.stringify({ question: "?", reward, until: gate }));
    writeFileSync(join(folder, "tasks.jsonl"), tasks.join("\n"));
    const running = rolltape([...args, "--agent", AGENT, "--workers", "2"]);
    await running.loggedMatch(/(an agent waits on \S+\n[^]*){4}/);
    const [first = 0] = workersOf(running.process.pid);
    process.kill(first, "SIGKILL");
    await running.logged("a rollout worker ended with SIGKILL; its tasks run again, and it is restarted");
    writeFileSync(gate, "");
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/^episodes +4 accepted, 0 rejected\n/);
    expect([...new Set(readBatch(out).sessions)]).toHaveLength(4);
    expect([...new Set(readBatch(out).rewards)]).toEqual([0, 1, 2, 3]);
  });

  it("rejects a task that kills every worker that runs it, with the reason of each attempt", async () => {
    const { out, args, folder } = rolloutJob([{ question: "?", reward: 1 }]);
    const agent = join(folder, "deadly.mjs");
    const good = JSON.stringify(AGENT.split("#")[0]);
    writeFileSync(
      agent,
      `import { agent as good } from ${good};
      export const agent = { run: (data, context) => data.die ? process.kill(process.pid, "SIGKILL") : good.run(data, context) };`,
    );
    writeFileSync(join(folder, "tasks.jsonl"), '{"die": true}\n{"question": "?", "reward": 1}\n');
    const more = ["--agent", `${agent}#agent`, "--workers", "1", "rollout.max_attempts=2"];
    const ended = await runRolltape([...args, ...more]);
    expect(ended).toMatchObject({ code: 0 });
    expect(readBatch(out).rewards).toEqual([1, 1]);
    expect(ended.stdout).toMatch(/^episodes +1 accepted, 1 rejected\n +1 × worker_lost: Every attempt was lost/);
    const [error] = readFileSync(`${out}.errors.jsonl`, "utf8").split("\n");
    expect(JSON.parse(error ?? "")).toMatchObject({
      code: "worker_lost",
      message: expect.stringMatching(/attempt 1: .* SIGKILL; attempt 2: .* SIGKILL/) as string,
    });
  });

  it("reports errors of agents as one process does", async () => {
    const { args, out } = rolloutJob([{ question: "?", fail: "no luck" }]);
    const ended = await runRolltape([...args, "--agent", AGENT, "--workers", "1"]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/1 × agent_error: no luck\n +in task task-0\n +at .*chat\.mjs/);
    expect(JSON.parse(readFileSync(`${out}.errors.jsonl`, "utf8"))).toMatchObject({ error: { class: "Error" } });
  });

  it("reports an agent that cannot be imported", async () => {
    const { args } = rolloutJob([{ question: "?" }]);
    const ended = await runRolltape([...args, "--agent", "./no-such-agent.mjs#agent", "--workers", "2"]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(/a rollout worker did not start: [^]*no-such-agent/);
  });

  it("exports what is finished after Ctrl-C, and leaves no worker running", async () => {
    const { args, out } = rolloutJob([
      { question: "?", reward: 1 },
      { question: "?", hang: true },
    ]);
    const running = rolltape([...args, "--agent", AGENT, "--workers", "1"]);
    await running.logged("an agent hangs");
    await running.logged("episodes 1/2");
    const workers = workersOf(running.process.pid);
    expect(workers).toHaveLength(1);
    running.process.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130 });
    expect(readBatch(out).rewards).toEqual([1, 1]);
    for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  it("leaves no worker running when it is killed", async () => {
    const { args } = rolloutJob([{ question: "?", hang: true }]);
    const running = rolltape([...args, "--agent", AGENT, "--workers", "2"]);
    await running.logged("an agent hangs");
    const workers = workersOf(running.process.pid);
    expect(workers).toHaveLength(2);
    running.process.kill("SIGKILL");
    await until(() => workers.every(isGone));
  });
});

describe("rolltape controller and rolltape worker", TIMES, () => {
  const env = { ROLLTAPE_ADMIN_API_KEY: "sk-admin-of-all-processes" };

  it("run a job against a running proxy, each in its own process", async () => {
    const proxy = await rolltape(["serve", "server.port=0", "server.shutdown_seconds=0"], env).ready();
    const { args, out, folder } = rolloutJob([]);
    const [gate, file] = [join(folder, "gate"), join(folder, "controller.json")];
    const tasks = [0, 1, 2].map((reward) => JSON.stringify({ question: "why?", reward, until: gate }));
    writeFileSync(join(folder, "tasks.jsonl"), tasks.join("\n"));
    const [, ...job] = args;
    // Workers may start first: they wait for the file.
    const workers = [0, 1].map(() => rolltape(["worker", "--controller", file, "--agent", AGENT], env));
    const controller = rolltape(["controller", ...job, "--proxy", proxy.url, "--url-file", file], env);
    const { url, ...ready } = await controller.line<{ url: string }>();
    expect(ready).toMatchObject({ event: "ready", tasks: 3 });
    const headers = { authorization: `Bearer ${env.ROLLTAPE_ADMIN_API_KEY}` };
    const readStatus = async () => (await fetch(`${url}/rollout/status`, { headers })).json() as Promise<RolloutStatus>;
    await expect.poll(async () => (await readStatus()).workers.length, { timeout: 60_000 }).toBe(2);
    await expect
      .poll(async () => (await readStatus()).tasks, { timeout: 60_000 })
      .toMatchObject({ submitted: 3, leased: 3 });
    writeFileSync(gate, "");
    const ended = await controller.ended;
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/\nepisodes +3 accepted, 0 rejected\n/);
    expect([...new Set(readBatch(out).rewards)]).toEqual([0, 1, 2]);
    for (const worker of workers) expect(await worker.ended).toMatchObject({ code: 0 });
  });

  it("give tasks back on SIGTERM", async () => {
    const proxy = await rolltape(["serve", "server.port=0", "server.shutdown_seconds=0"], env).ready();
    const { args, out, folder } = rolloutJob([]);
    const gate = join(folder, "gate");
    writeFileSync(join(folder, "tasks.jsonl"), JSON.stringify({ question: "?", reward: 1, until: gate }));
    const [, ...job] = args;
    const controller = rolltape(["controller", ...job, "--proxy", proxy.url, "rollout.max_attempts=1"], env);
    const { url } = await controller.line<{ url: string }>();
    const first = rolltape(["worker", "--controller", url, "--agent", AGENT], env);
    await first.logged("an agent waits");
    first.process.kill("SIGTERM");
    expect(await first.ended).toMatchObject({ code: 0 });
    const stopped = rolltape(["worker", "--controller", url, "--agent", AGENT, "--stopped-status", "143"], env);
    await stopped.logged("an agent waits");
    stopped.process.kill("SIGTERM");
    expect(await stopped.ended).toMatchObject({ code: 143 });
    writeFileSync(gate, "");
    const second = rolltape(["worker", "--controller", url, "--agent", AGENT, "--stopped-status", "143"], env);
    expect(await controller.ended).toMatchObject({ code: 0 });
    expect(await second.ended).toMatchObject({ code: 0 });
    expect(readBatch(out).rewards).toEqual([1, 1, 1]);
    const listed = await fetch(`${proxy.url}/rl/sessions`, {
      headers: { authorization: `Bearer ${env.ROLLTAPE_ADMIN_API_KEY}` },
    });
    expect(await listed.json()).toMatchObject({ sessions: [{ state: "exported" }] });
  });

  it("refuse keys that they do not use, and a missing admin key", async () => {
    const { args } = rolloutJob([{ question: "?" }]);
    const [, ...job] = args;
    const controller = await runRolltape(
      ["controller", ...job, "--proxy", "http://127.0.0.1:9", "rollout.workers=2"],
      env,
    );
    expect(controller).toMatchObject({ code: 2 });
    expect(controller.stderr).toContain("rollout.workers: has no effect: start workers with `rolltape worker`");
    const worker = ["worker", "--controller", "http://127.0.0.1:9", "--agent", AGENT];
    const refused = await runRolltape([...worker, "group_size=2"], env);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain("group_size: has no effect: the controller uses it");
    expect(await runRolltape(worker)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("requires the admin key of its controller") as string,
    });
  });
});
