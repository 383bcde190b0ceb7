import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openPath } from "../../../src/view/sources/find-source.js";
import { readSafetensors } from "../../helpers/safetensors.js";
import { rolltape, runRolltape } from "../rolltape.js";
import { AGENT, rolloutJob as job, readBatch, TIMES } from "./rollout-job.js";

const HANGING = fileURLToPath(new URL("./agents/hanging.py", import.meta.url));
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
    expect(ended.stdout).toContain("rewards   mean 0.750 per episode, from 0.5 to 1\n");
    expect(ended.stderr).toMatch(/episodes 3\/3 +\d+ tokens\/s +reward mean 0\.750 +rejected 1\n$/);
    expect(readdirSync(join(folder, "out")).sort()).toEqual([
      "batch.safetensors",
      "batch.safetensors.errors.jsonl",
      "batch.safetensors.jsonl",
      "batch.safetensors.jsonl.index",
      "batch.safetensors.metrics.jsonl",
      "batch.safetensors.tensorboard",
    ]);
  });

  it("continues recorded tokens unless the configuration says otherwise, and says so", async () => {
    const { out, folder, args } = job([{ question: "why?", reward: 1 }]);
    const recorded = () => {
      const { metadata } = readSafetensors(readFileSync(out));
      return (JSON.parse(metadata["config"] ?? "{}") as Record<string, unknown>)["chat_template_type"];
    };
    const run = [...args, "--agent", AGENT];
    const said = "rolltape: rollout.agent.chat_template_type is `concat`, because nothing else is configured";
    expect((await runRolltape(run)).stderr).toContain(said);
    expect(recorded()).toBe("concat");
    expect(await runRolltape([...run, "--proxy-workers", "2"])).toMatchObject({ code: 0 });
    expect(recorded()).toBe("concat");
    expect((await runRolltape([...run, "rollout.agent.chat_template_type=hf"])).stderr).not.toContain(said);
    expect(recorded()).toBe("hf");
    const file = join(folder, "rolltape.yaml");
    writeFileSync(file, "rollout: { agent: { chat_template_type: hf } }\n");
    expect(await runRolltape([...run, "--config", file, "--proxy-workers", "2"])).toMatchObject({ code: 0 });
    expect(recorded()).toBe("hf");
  });

  it("rewards sessions with reward_scope session, and warns of conversations without a reward", async () => {
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
    expect(scoped.stdout).toContain("rewards   mean 1.000 per episode, from 1 to 1\n");
    expect(readBatch(out).rewards).toEqual([1, 1, 1, 1, 1]);
  });

  it("warns once, for all batches, of turns whose rewards no row counts", async () => {
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

  it("runs groups in subprocesses, and drops incomplete groups unless drop_incomplete_group is false", async () => {
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

  it.each([
    ["in one process", () => []],
    ["with a job folder", (folder: string) => ["--job-folder", join(folder, "job")]],
  ])("ends with status 4 if too few episodes are accepted, and writes their batch, %s", async (_, options) => {
    const fail = { question: "how?", fail: "no" };
    const { out, folder, args } = job([{ question: "why?", reward: 1 }, fail, fail]);
    const run = [...args, "--agent", AGENT, "--group-size", "2"];
    const ended = await runRolltape([...run, ...options(folder)]);
    expect(ended).toMatchObject({ code: 4 });
    expect(ended.stdout).toMatch(
      /^too few +2 of 6 episodes are in the batch: less than rollout\.min_accepted_share=0\.5$/m,
    );
    expect(readBatch(out).rewards).toEqual([1, 1, 1, 1]);
    const lenient = await runRolltape([...run, "rollout.min_accepted_share=0.3"]);
    expect(lenient).toMatchObject({ code: 0 });
    expect(lenient.stdout).not.toContain("too few");
  });

  it.each([
    ["in one process", []],
    ["in each rollout worker", ["--workers", "1"]],
  ])("runs max_concurrent_episodes at once %s, and counts each as it ends", async (_, options) => {
    const { out, args } = job([{ question: "why?", reward: 1, seconds: 4 }]);
    const limited = [...args, "--agent", AGENT, "--group-size", "3", "rollout.max_concurrent_episodes=1", ...options];
    const ended = await runRolltape(limited);
    expect(ended).toMatchObject({ code: 0 });
    // A line every five seconds: one episode has ended, then two.
    expect(ended.stderr).toMatch(/^episodes 1\/3 [^]*^episodes 2\/3 [^]*^episodes 3\/3 /m);
    await using viewed = await openPath(`${out}.jsonl`);
    const { started_at: starts } = (await viewed.overview()).episodes;
    const [first = 0, second = 0, third = 0] = starts.map(Number).toSorted((a, b) => a - b);
    expect(Math.min(second - first, third - second)).toBeGreaterThan(3.9);
  });

  it("runs a program in any language", async () => {
    const { out, args } = job([{ question: "why?", reward: 0.25 }]);
    const command = JSON.stringify(["python3", PROGRAM]);
    expect(await runRolltape([...args, "--command", command, "--layout", "packed"])).toMatchObject({ code: 0 });
    expect(readBatch(out)).toMatchObject({ rewards: [0.25], shape: [expect.any(Number)] });
  });

  it("exports finished tasks when it is interrupted", async () => {
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
      /1 accepted, 1 rejected\n +1 × episode_aborted[^]*stopped +after 2 of 3 tasks had started\n/,
    );
  });

  it("does not count the time that an episode waits for a process", async () => {
    const { args } = job([0, 1, 2].map((reward) => ({ question: "why?", reward })));
    const one = ["rollout.agent.mode=subproc", "rollout.agent.subproc_max_workers=1"];
    const slow = ["--command", JSON.stringify(["sh", "-c", "sleep 1.5; exit 3"]), "--timeout", "4"];
    const ended = await runRolltape([...args, ...slow, ...one]);
    expect(ended.stderr).toContain("agent_error: sh ended with status 3");
    expect(ended.stderr).not.toMatch(/timeout|killed/);
  });

  it.each([
    ["in the job's process", ["--agent", AGENT]],
    ["in a pool", ["--agent", AGENT, "rollout.agent.mode=subproc"]],
    ["in Python", ["--agent", `${HANGING}:hang`]],
    ["in asynchronous Python", ["--agent", `${HANGING}:hang_async`]],
    ["that is a program", ["--command", "sleep 60"]],
    ["on a rollout worker", ["--agent", AGENT, "rollout.agent.mode=subproc", "--workers", "1"]],
  ])("rejects episodes of an agent %s with episode_timeout when they exceed their time", async (_, agent) => {
    const { out, args } = job([{ question: "how?", hang: true }]);
    const ended = await runRolltape([...args, ...agent, "--timeout", "2"]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(/no episode was accepted:\n +1 × episode_timeout: .* limit of 2 seconds/);
    await using viewed = await openPath(`${out}.jsonl`);
    const { episodes } = await viewed.overview();
    expect(episodes.error.map((at) => episodes.texts[at])).toEqual(["episode_timeout"]);
  });
});

describe("an agent in the job's own process", TIMES, () => {
  const STRAY = fileURLToPath(new URL("./agents/stray.mjs", import.meta.url));
  const jobWith = (stray: string) => {
    const tasks = [{ reward: 1 }, { reward: 2, stray }, { reward: 3 }];
    const { out, args } = job(tasks.map((task) => ({ question: "why?", ...task })));
    return { out, args: [...args, "--agent", `${STRAY}#agent`, "rollout.max_concurrent_rollouts=1"] };
  };

  it("does not keep the job alive with timers or connections", async () => {
    const { out, args } = jobWith("timer");
    expect(await runRolltape(args)).toMatchObject({ code: 0 });
    expect(readBatch(out).rewards).toEqual([1, 1, 2, 2, 3, 3]);
  });

  it("does not end the job with an unhandled rejection", async () => {
    const { out, args } = jobWith("rejection");
    const ended = await runRolltape(args);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stderr).toContain("rolltape: unhandled promise rejection, most likely by an agent: Error:");
    expect(readBatch(out).rewards).toEqual([1, 1, 2, 2, 3, 3]);
  });

  it("is rejected if it calls process.exit", async () => {
    const { out, args } = jobWith("exit");
    const ended = await runRolltape(args);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/1 × agent_error: process\.exit\(0\) was called: .*mode=subproc/);
    expect(readBatch(out).rewards).toEqual([1, 1, 3, 3]);
  });

  it("stops the job with an uncaught error, and finished tasks are exported", async () => {
    const { out, args } = jobWith("throw");
    const ended = await runRolltape(args);
    expect(ended).toMatchObject({ code: 1 });
    expect(ended.stderr).toMatch(/rolltape: nobody catches this\n$/);
    expect(readBatch(out).rewards).toEqual([1, 1]);
  });
});

describe("rolltape rollout that cannot start", TIMES, () => {
  it.each([
    ["without an agent", [], 2, "--agent"],
    ["with an agent that does not exist", ["--agent", "./nowhere.mjs"], 2, "./nowhere.mjs"],
    ["with two agents", ["--agent", AGENT, "--command", "true"], 2, "cannot be used with"],
    ["with a group size of 0", ["--agent", AGENT, "-g", "0"], 2, "an integer of at least 1"],
    [
      "with an agent that a subprocess cannot create",
      ["--agent", `${AGENT}x`, "rollout.agent.mode=subproc"],
      2,
      "does not export agentx",
    ],
    [
      "with another scheduler than local",
      ["--agent", AGENT, "scheduler.type=slurm"],
      2,
      "scheduler.type=slurm requires --job-folder",
    ],
    [
      "with concat_reward return and layout tree",
      ["--agent", AGENT, "--layout", "tree", "rollout.agent.export_style=concat", "rollout.agent.concat_reward=return"],
      2,
      "rollout.agent.concat_reward must be leaf with --layout tree",
    ],
    ["with a folder as --out", ["--agent", AGENT, "--out", "."], 2, "--out . must be a file"],
    ["with an invalid address", ["--agent", AGENT, "--proxy", "localhost"], 2, "http or https URL"],
    [
      "with a proxy but without its admin key",
      ["--agent", AGENT, "--proxy", "http://127.0.0.1:9"],
      2,
      "requires the admin key",
    ],
    ["with a negative version", ["--agent", AGENT, "--from-version", "-1"], 2, "an integer from 0 to 2147483647"],
    ["with an invalid configuration", ["--agent", AGENT, "rollout.agent.mod=inline"], 2, "rollout.agent.mode"],
  ])("ends with the reason %s", async (_, more, code, message) => {
    const { out, args } = job([{ question: "why?" }]);
    const ended = await runRolltape([...args, ...more]);
    expect(ended).toMatchObject({ code, stdout: "" });
    expect(ended.stderr).toContain(message);
    expect(existsSync(out)).toBe(false);
  });

  it("names the line of the data that is not a task", async () => {
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
