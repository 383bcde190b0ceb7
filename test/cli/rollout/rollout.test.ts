import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { rolltape, runRolltape } from "../rolltape.js";
import { AGENT, rolloutJob as job, readBatch, TIMES } from "./rollout-job.js";

const PROGRAM = fileURLToPath(new URL("../../rollout/subproc/agents/agent.py", import.meta.url));

describe("rolltape rollout", TIMES, () => {
  it("runs every task and writes one batch, in the order of the tasks, with discounted rewards", async () => {
    const { out, folder, args } = job([
      { task_id: "b", question: "why?", reward: 1 },
      { task_id: "a", question: "how?", reward: 0.5 },
      { question: "when?", fail: "the tool is broken" },
    ]);
    const ended = await runRolltape([...args, "--agent", AGENT, "rollout.agent.turn_discount=0.5"]);
    expect(ended).toMatchObject({ code: 0 });
    const { rewards, sessions } = readBatch(out);
    expect(sessions.map((id) => id.replace(/-[a-z0-9]{8}-\d+$/, ""))).toEqual(["b", "b", "a", "a"]);
    expect(rewards).toEqual([0.5, 1, 0.25, 0.5]);
    expect(ended.stdout).toMatch(/^episodes +2 accepted, 1 rejected\n +1 × agent_error: the tool is broken\n/);
    expect(ended.stdout).toMatch(/broken\n +in task \S+\n +at \S*run \(.*chat\.mjs:\d+:\d+\)\n/);
    expect(ended.stdout).toContain("rewards   mean 0.750, from 0.5 to 1\n");
    expect(ended.stderr).toMatch(/episodes 3\/3 +\d+ tokens\/s +reward mean 0\.750 +rejected 1\n$/);
    expect(readdirSync(join(folder, "out")).sort()).toEqual(["batch.safetensors", "batch.safetensors.errors.jsonl"]);
  });

  it("rewards sessions where the scope says so, and warns of conversations that got nothing", async () => {
    const { out, args } = job([
      { question: "why?", reward: 1, aside: true },
      { question: "how?", reward: 1 },
    ]);
    const plain = await runRolltape([...args, "--agent", AGENT]);
    expect(plain).toMatchObject({ code: 0 });
    expect(readBatch(out).rewards).toEqual([0, 0, 1, 1, 1]);
    const [, warning] = /^warning +(.*)$/m.exec(plain.stdout) ?? [];
    expect(warning).toMatch(/^1 conversation has no reward.*session task-0-.*rollout\.agent\.reward_scope=session/);
    const scoped = await runRolltape([...args, "--agent", AGENT, "rollout.agent.reward_scope=session"]);
    expect(scoped.stdout).not.toContain("warning");
    expect(scoped.stdout).toContain("rewards   mean 1.000, from 1 to 1\n");
    expect(readBatch(out).rewards).toEqual([1, 1, 1, 1, 1]);
  });

  it("warns once of turns whose rewards no row counts, over all of its batches", async () => {
    const { out, args } = job([
      { question: "why?", rewards: [1, 0] },
      { question: "how?", rewards: [1, 0] },
    ]);
    const concat = ["rollout.agent.export_style=concat", "rollout.agent.chat_template_type=concat"];
    const one = [...args, "--agent", AGENT, ...concat];
    const leaf = await runRolltape([...one, "rollout.consumer_batch_size=1"]);
    expect(leaf).toMatchObject({ code: 0 });
    expect(leaf.stdout.match(/^warning .*$/gm)).toEqual([
      expect.stringMatching(/^warning +2 of 2 rows .*rollout\.agent\.concat_reward=return/),
    ]);
    const returned = await runRolltape([...one, "rollout.agent.concat_reward=return"]);
    expect(returned.stdout).not.toContain("warning");
    expect(readBatch(out).rewards).toEqual([1, 1]);
  });

  it("runs groups in processes of their own, and drops those that are incomplete unless told to keep them", async () => {
    const tasks = [
      { question: "why?", reward: 1 },
      { question: "how?", fail: "no" },
    ];
    const { out, args } = job(tasks);
    const subproc = ["rollout.agent.mode=subproc", "rollout.agent.subproc_max_workers=2"];
    const ended = await runRolltape([...args, "--agent", AGENT, "--group-size", "2", ...subproc]);
    expect(ended).toMatchObject({ code: 0 });
    expect(readBatch(out).rewards).toEqual([1, 1, 1, 1]);
    expect(ended.stdout).toContain("groups    1 of 2 kept, 2 episodes each\n");
    expect(ended.stdout).toMatch(/agent_error: no\n +in task \S+\n +at \S*run \(.*chat\.mjs:\d+:\d+\)\n/);
  });

  it("runs a program of any language", async () => {
    const { out, args } = job([{ question: "why?", reward: 0.25 }]);
    const command = JSON.stringify(["python3", PROGRAM]);
    expect(await runRolltape([...args, "--command", command, "--layout", "packed"])).toMatchObject({ code: 0 });
    expect(readBatch(out)).toMatchObject({ rewards: [0.25], shape: [expect.any(Number)] });
  });

  it("keeps what has finished when it is interrupted", async () => {
    const { out, args } = job([
      { question: "why?", reward: 1 },
      { question: "how?", hang: true },
      { question: "when?", reward: 1 },
    ]);
    const running = rolltape([...args, "--agent", AGENT, "rollout.max_concurrent_rollouts=1"]);
    await running.logged("an agent hangs");
    running.process.kill("SIGINT");
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(readBatch(out).rewards).toEqual([1, 1]);
    expect(ended.stdout).toMatch(
      /1 accepted, 1 rejected\n +1 × episode_aborted[^]*stopped +1 of 3 tasks were not begun\n/,
    );
  });

  it("does not count the time that an episode waits for a process of its own", async () => {
    const { args } = job([0, 1, 2].map((reward) => ({ question: "why?", reward })));
    const one = ["rollout.agent.mode=subproc", "rollout.agent.subproc_max_workers=1"];
    const slow = ["--command", JSON.stringify(["sh", "-c", "sleep 1.5; exit 3"]), "--timeout", "4"];
    const ended = await runRolltape([...args, ...slow, ...one]);
    expect(ended.stderr).toContain("agent_error: sh ended with status 3");
    expect(ended.stderr).not.toMatch(/timeout|killed/);
  });

  it("gives episodes up whose time is over", async () => {
    const { args } = job([{ question: "how?", hang: true }]);
    const ended = await runRolltape([...args, "--agent", AGENT, "--timeout", "2"]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(/no episode was accepted:\n +1 × episode_timeout/);
  });
});

describe("an agent in the job's own process", TIMES, () => {
  const STRAY = fileURLToPath(new URL("./agents/stray.mjs", import.meta.url));
  const jobWith = (stray: string) => {
    const tasks = [{ reward: 1 }, { reward: 2, stray }, { reward: 3 }];
    const { out, args } = job(tasks.map((task) => ({ question: "why?", ...task })));
    return { out, args: [...args, "--agent", `${STRAY}#agent`, "rollout.max_concurrent_rollouts=1"] };
  };

  it("keeps no job alive with what it leaves at work", async () => {
    const { out, args } = jobWith("timer");
    expect(await runRolltape(args)).toMatchObject({ code: 0 });
    expect(readBatch(out).rewards).toEqual([1, 1, 2, 2, 3, 3]);
  });

  it("ends no job with a promise that it forgets", async () => {
    const { out, args } = jobWith("rejection");
    const ended = await runRolltape(args);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stderr).toContain(
      "rolltape: a promise was rejected that nobody awaits, by an agent most likely: Error:",
    );
    expect(readBatch(out).rewards).toEqual([1, 1, 2, 2, 3, 3]);
  });

  it("is rejected where it would end the process", async () => {
    const { out, args } = jobWith("exit");
    const ended = await runRolltape(args);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/1 × agent_error: process\.exit\(0\) was called: .*mode=subproc/);
    expect(readBatch(out).rewards).toEqual([1, 1, 3, 3]);
  });

  it("stops the job with an error that nobody can catch; what has finished is kept", async () => {
    const { out, args } = jobWith("throw");
    const ended = await runRolltape(args);
    expect(ended).toMatchObject({ code: 1 });
    expect(ended.stderr).toMatch(/rolltape: nobody catches this\n$/);
    expect(readBatch(out).rewards).toEqual([1, 1]);
  });
});

describe("a rollout that cannot begin", TIMES, () => {
  it.each([
    ["without an agent", [], 2, "--agent"],
    ["with an agent that is not there", ["--agent", "./nowhere.mjs"], 2, "./nowhere.mjs"],
    ["with two agents", ["--agent", AGENT, "--command", "true"], 2, "cannot be used with"],
    ["with a group of none", ["--agent", AGENT, "-g", "0"], 2, "whole number"],
    [
      "with an agent that no process can make",
      ["--agent", `${AGENT}x`, "rollout.agent.mode=subproc"],
      2,
      "does not export agentx",
    ],
    ["on machines that it does not know", ["--agent", AGENT, "scheduler.type=slurm"], 2, "scheduler.type is slurm"],
    [
      "with a sum over turns that a tree does not have",
      ["--agent", AGENT, "--layout", "tree", "rollout.agent.export_style=concat", "rollout.agent.concat_reward=return"],
      2,
      "rollout.agent.concat_reward must be leaf with --layout tree",
    ],
    ["with a folder as its file", ["--agent", AGENT, "--out", "."], 2, "--out . is a folder"],
    ["with an address that is none", ["--agent", AGENT, "--proxy", "localhost"], 2, "http or https URL"],
    ["with the proxy of somebody else", ["--agent", AGENT, "--proxy", "http://127.0.0.1:9"], 2, "needs the admin key"],
    ["with a version that is none", ["--agent", AGENT, "--from-version", "-1"], 2, "whole number"],
    ["with a wrong configuration", ["--agent", AGENT, "rollout.agent.mod=inline"], 2, "rollout.agent.mode"],
  ])("%s says so", async (_, more, code, message) => {
    const { out, args } = job([{ question: "why?" }]);
    const ended = await runRolltape([...args, ...more]);
    expect(ended).toMatchObject({ code, stdout: "" });
    expect(ended.stderr).toContain(message);
    expect(existsSync(out)).toBe(false);
  });

  it("names the line of the data that is no task", async () => {
    const { data, args } = job([]);
    writeFileSync(data, '{"question": "why?"}\n\n{"question": \n');
    const ended = await runRolltape([...args, "--agent", AGENT]);
    expect(ended).toMatchObject({ code: 2 });
    expect(ended.stderr).toContain(`${data}:3 is not JSON`);
    writeFileSync(data, '\uFEFF{"question": "why?"}\n{');
    expect((await runRolltape([...args, "--agent", AGENT])).stderr).toContain(`${data}:2 is not JSON`);
    expect((await runRolltape([...args, "--data", "none.jsonl", "--agent", AGENT])).stderr).toContain(
      "--data none.jsonl cannot be read: ENOENT",
    );
    writeFileSync(data, "\n");
    expect((await runRolltape([...args, "--agent", AGENT])).stderr).toContain("has no tasks");
  });
});
