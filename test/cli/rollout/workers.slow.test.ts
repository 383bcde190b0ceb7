import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findFreePort } from "../../../src/scheduler/free-port.js";
import { isGone } from "../../helpers/is-gone.js";
import { openConnection, requestHead } from "../../helpers/raw-connection.js";
import { until } from "../../helpers/until.js";
import { rolltape, runRolltape } from "../rolltape.js";
import { AGENT, readBatch, readTag, rolloutJob, TIMES, workersIn } from "./rollout-job.js";

describe("rolltape rollout over several proxy workers", TIMES, () => {
  it("distributes sessions over the workers and writes one batch in the order of the tasks", async () => {
    const { out, args, folder } = rolloutJob([0, 1, 2, 3].map((reward) => ({ question: "why?", reward })));
    const more = ["--agent", AGENT, "--proxy-workers", "2", "--group-size", "2"];
    const ended = await runRolltape([...args, ...more], { TMPDIR: folder });
    expect(ended).toMatchObject({ code: 0 });
    const { rewards, sessions } = readBatch(out);
    expect(rewards).toEqual([0, 1, 2, 3].flatMap((reward) => [reward, reward, reward, reward]));
    expect(new Set(sessions.map(readTag)).size).toBe(2);
    expect(ended.stdout).toMatch(/ in 16 rows; (?!0 )\d+ sampled/);
    expect(readdirSync(folder).filter((name) => name.startsWith("rolltape-workers-"))).toEqual([]);
  });

  it("runs the episodes of a worker that dies again, also finished ones, and restarts the worker", async () => {
    const { out, args, folder } = rolloutJob([]);
    const gate = join(folder, "gate");
    const tasks = [{ reward: 0 }, { reward: 1 }, { reward: 2, until: gate }, { reward: 3 }];
    writeFileSync(
      join(folder, "tasks.jsonl"),
      tasks.map((task) => JSON.stringify({ question: "?", ...task })).join("\n"),
    );
    const more = ["--agent", AGENT, "--proxy-workers", "2", "rollout.max_concurrent_rollouts=1"];
    const running = rolltape([...args, ...more], { TMPDIR: folder });
    const [, key = ""] = await running.loggedMatch(/an agent waits on (\S+)\n/);
    process.kill(workersIn(folder).get(readTag(key)) ?? 0, "SIGKILL");
    await running.logged("a proxy worker ended with SIGKILL; its sessions are lost, and it is restarted");
    writeFileSync(gate, "");
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/^episodes +4 accepted, 0 rejected\n/);
    // One of the first two sessions was on that worker.
    expect(ended.stderr).toContain("1 sessions were lost with their proxy; their tasks run again");
    const { rewards, sessions } = readBatch(out);
    expect(rewards).toEqual([0, 0, 1, 1, 2, 2, 2, 3, 3]);
    expect(sessions.map(readTag)).not.toContain(readTag(key));
  });

  it("records the current weight version for tokens of workers that started later", async () => {
    const port = await findFreePort();
    const { out, args, folder } = rolloutJob([]);
    const gate = join(folder, "gate");
    const tasks = [{ until: gate }, { reward: 1 }].map((task) => JSON.stringify({ question: "?", ...task }));
    writeFileSync(join(folder, "tasks.jsonl"), tasks.join("\n"));
    const config = ["rollout.max_concurrent_rollouts=1", `server.port=${port}`];
    const more = ["--agent", AGENT, "--proxy-workers", "2", "--from-version", "5", ...config];
    const running = rolltape([...args, ...more], { TMPDIR: folder });
    await running.logged("an agent waits on");
    const first = workersIn(folder);
    for (const pid of first.values()) process.kill(pid, "SIGKILL");
    const takesSessions = async () => {
      const reply = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
      const { workers = [] } = ((await reply?.json()) ?? {}) as { workers?: { tag: string; status: string }[] };
      return workers.filter(({ tag, status }) => !first.has(tag) && status === "ok").length;
    };
    await expect.poll(takesSessions, { timeout: 60_000, interval: 100 }).toBe(2);
    writeFileSync(gate, "");
    expect(await running.ended).toMatchObject({ code: 0 });
    expect(readBatch(out)).toMatchObject({ rewards: [1, 1], versions: [5] });
  });

  it("leaves no worker running when it is killed", async () => {
    const { args, folder } = rolloutJob([{ question: "how?", hang: true }]);
    const running = rolltape([...args, "--agent", AGENT, "--proxy-workers", "2"], { TMPDIR: folder });
    await running.logged("an agent hangs");
    const pids = [...workersIn(folder).values()];
    onTestFinished(() => pids.filter((pid) => !isGone(pid)).forEach((pid) => process.kill(pid, "SIGKILL")));
    expect(pids).toHaveLength(2);
    running.process.kill("SIGKILL");
    await until(() => pids.every(isGone));
  });

  it("checks the admin key of control calls before their bodies are sent", async () => {
    const port = await findFreePort();
    const { args, folder } = rolloutJob([{ question: "how?", hang: true }]);
    const more = ["--agent", AGENT, "--proxy-workers", "2", `server.port=${port}`];
    const running = rolltape([...args, ...more], { TMPDIR: folder });
    await running.logged("an agent hangs");
    const head = requestHead("POST", "/export_batch", "content-type: application/json", "content-length: 9000000");
    const { received, ended } = await openConnection(port, head);
    await until(ended);
    expect(received()).toContain("missing_api_key");
  });

  it("reports that a worker does not start", async () => {
    const { args } = rolloutJob([{ question: "why?", reward: 1 }]);
    const more = [
      "--agent",
      AGENT,
      "--proxy-workers",
      "2",
      "model.path=/no/such/folder",
      "engine.model=/no/such/model",
    ];
    const ended = await runRolltape([...args, ...more]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(
      /rolltape: a proxy worker did not start: it accepted no calls; it ended with status 2\. Its/,
    );
    expect(ended.stderr).toMatch(/\n {2}model\.path: .*\/no\/such\/folder/);
  });
});

describe("rolltape rollout --proxy", TIMES, () => {
  it("uses a running proxy and leaves it running", async () => {
    const key = "sk-admin-of-a-running-proxy";
    const serving = rolltape(["serve", "server.port=0", "server.shutdown_seconds=0"], { ROLLTAPE_ADMIN_API_KEY: key });
    const { url } = await serving.ready();
    for (const reward of [1, 2]) {
      const { out, args } = rolloutJob([{ question: "why?", reward }]);
      const ended = await runRolltape([...args, "--agent", AGENT, "--proxy", url], { ROLLTAPE_ADMIN_API_KEY: key });
      expect(ended).toMatchObject({ code: 0 });
      expect(readBatch(out).rewards).toEqual([reward, reward]);
      // Counts only this job: at most two calls of four tokens.
      expect(Number(/; (\d+) sampled/.exec(ended.stdout)?.[1])).toBeLessThanOrEqual(8);
    }
  });
});
