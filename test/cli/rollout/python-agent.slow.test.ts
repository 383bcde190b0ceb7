import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { rolltape, runRolltape } from "../rolltape.js";
import { readBatch, rolloutJob, TIMES } from "./rollout-job.js";

const AGENTS = fileURLToPath(new URL("../../rollout/python/agents", import.meta.url));
const CHAT = join(AGENTS, "chat.py:solve");

const tasks = [0, 1, 2, 3].map((reward) => ({ task_id: `t${reward}`, words: ["why?"], reward }));

describe("rolltape rollout with an agent in Python", TIMES, () => {
  it("writes the batch of its episodes", async () => {
    const { out, args } = rolloutJob(tasks);
    const ended = await runRolltape([...args, "--agent", CHAT, "--group-size", "2", "--timeout", "100"]);
    expect(ended).toMatchObject({ code: 0 });
    expect(readBatch(out).rewards).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
  });

  it("ends before the first task, with one traceback, if the agent cannot be imported", async () => {
    const { args } = rolloutJob(tasks);
    const ended = await runRolltape([...args, "--agent", join(AGENTS, "broken.py")]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(/^about to fail\n/m);
    expect(ended.stderr).toContain("ModuleNotFoundError: No module named 'a_module_that_is_not_installed'");
    expect(ended.stderr.match(/Traceback/g)).toHaveLength(1);
  });

  it("ends before the first task if Python is missing", async () => {
    const { args } = rolloutJob(tasks);
    const ended = await runRolltape([...args, "--agent", CHAT, "rollout.agent.python=/nowhere/python"]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain("rolltape: /nowhere/python could not be started: ");
  });

  it("shows where an exception was raised", async () => {
    const { folder, args } = rolloutJob(tasks);
    const file = join(folder, "agent.py");
    writeFileSync(
      file,
      "def check(task):\n    return 1 / task['zero']\n\nasync def solve(task, context):\n    check(task)\n",
    );
    const ended = await runRolltape([...args, "--agent", `${file}:solve`]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain("  4 × agent_error: KeyError: 'zero'\n    in task t");
    expect(ended.stderr).toContain(`\n    at check (${file}:2)\n    at solve (${file}:5)\n`);
  });

  it("rejects only the task that ends its process, and runs the others again", async () => {
    const all = Array.from({ length: 10 }, (_, i) => ({
      task_id: `t${i}`,
      words: ["why?"],
      reward: i,
      kills: i === 7,
    }));
    const { out, folder, args } = rolloutJob(all);
    const file = join(folder, "agent.py");
    writeFileSync(
      file,
      `import asyncio, os, sys\nsys.path.insert(0, ${JSON.stringify(AGENTS)})\nfrom chat import solve as chat\n\n` +
        "async def solve(task, context):\n    reward = await chat(task, context)\n    await asyncio.sleep(1)\n" +
        "    if task['kills']:\n        os._exit(9)\n    await asyncio.sleep(1)\n    return reward\n",
    );
    const one = ["rollout.agent.subproc_max_workers=1", "--timeout", "100"];
    const ended = await runRolltape([...args, "--agent", `${file}:solve`, ...one]);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(
      /^episodes +9 accepted, 1 rejected\n +1 × agent_error: The agent's process ended while it ran no other agent \(status 9\)\.\n +in task t7-?/m,
    );
    // Each episode has one session: those of the lost attempts are deleted.
    expect(readBatch(out).rewards).toEqual(all.filter(({ kills }) => !kills).map(({ reward }) => reward));
    const transcript = readFileSync(`${out}.jsonl`, "utf8");
    expect(transcript.match(/"type":"episode"/g)).toHaveLength(10);
  });

  it("cancels the running tasks after Ctrl-C", async () => {
    const { folder, args } = rolloutJob(tasks);
    const file = join(folder, "agent.py");
    writeFileSync(
      file,
      "import asyncio\n\nasync def solve(task, context):\n    print('begun')\n    await asyncio.sleep(3600)\n",
    );
    const running = rolltape([...args, "--agent", `${file}:solve`]);
    await running.logged("begun");
    running.process.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130 });
  });

  it("refuses keys that have no effect on it, and its keys for other agents", async () => {
    const { args } = rolloutJob(tasks);
    const mode = await runRolltape([...args, "--agent", CHAT, "rollout.agent.mode=subproc"]);
    expect(mode).toMatchObject({ code: 2 });
    expect(mode.stderr).toContain(
      "rollout.agent.mode: has no effect: a Python agent always runs in processes of its own",
    );
    const other = await runRolltape([...args, "--agent", "./agent.js#agent", "rollout.agent.tasks_per_worker=2"]);
    expect(other.stderr).toContain("rollout.agent.tasks_per_worker: has no effect: only a Python agent uses it");
  });
});
