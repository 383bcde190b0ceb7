import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runRolltape } from "../rolltape.js";
import { AGENT, readBatch, rolloutJob, TIMES } from "./rollout-job.js";

/** Writes an agent that makes its calls and then throws, in its first runs of each task. It appends a line to `runs` for each run. */
function flakyAgent(folder: string, failures: number) {
  const [agent, runs] = [join(folder, "flaky.mjs"), join(folder, "runs")];
  writeFileSync(runs, "");
  writeFileSync(
    agent,
    `import { appendFileSync, readFileSync } from "node:fs";
    import { agent as good } from ${JSON.stringify(AGENT.split("#")[0])};
    export const agent = {
      async run(data, context) {
        appendFileSync(${JSON.stringify(runs)}, data.reward + "\\n");
        const earlier = readFileSync(${JSON.stringify(runs)}, "utf8").split("\\n").filter((line) => line === String(data.reward));
        const reward = await good.run(data, context);
        if (earlier.length <= ${failures}) throw new Error("no luck");
        return reward;
      },
    };`,
  );
  return { agent: `${agent}#agent`, countRuns: () => readFileSync(runs, "utf8").trim().split("\n").length };
}

const tasks = [1, 2, 3].map((reward) => ({ question: "?", reward }));

describe("episodes that fail", TIMES, () => {
  it.each([
    ["in the job's own process", []],
    ["on rollout workers", ["--workers", "2"]],
  ])("run again before they are rejected (agents run %s)", async (_, workers) => {
    const { args, out, folder } = rolloutJob(tasks);
    const { agent, countRuns } = flakyAgent(folder, 2);
    const ended = await runRolltape([...args, "--agent", agent, ...workers]);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/^episodes +3 accepted, 0 rejected\n/);
    expect([...new Set(readBatch(out).rewards)]).toEqual([1, 2, 3]);
    expect(countRuns()).toBe(9);
  });

  it("are rejected at once for reasons in rollout.no_retry_on", async () => {
    const { args, folder } = rolloutJob(tasks);
    const { agent, countRuns } = flakyAgent(folder, 1);
    const ended = await runRolltape([...args, "--agent", agent, "rollout.no_retry_on=[agent_error]"]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("3 × agent_error: no luck");
    expect(countRuns()).toBe(3);
  });

  it("become samples with rollout.failure_reward", async () => {
    const { args, out, folder } = rolloutJob(tasks);
    const { agent } = flakyAgent(folder, 99);
    const more = ["rollout.max_failures=2", "rollout.failure_reward=-1"];
    const ended = await runRolltape([...args, "--agent", agent, ...more]);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/^episodes +3 accepted, 0 rejected\n/);
    expect([...new Set(readBatch(out).rewards)]).toEqual([-1]);
  });

  it("do not run again if a Python agent refuses its task", async () => {
    const { args, folder } = rolloutJob(tasks);
    const agent = join(folder, "refusing.py");
    writeFileSync(
      agent,
      "class AgentRefusal(Exception):\n    pass\n\nasync def solve(task, context):\n    print('it runs')\n    raise AgentRefusal('no question')\n",
    );
    const ended = await runRolltape([...args, "--agent", `${agent}:solve`]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("3 × agent_refused: no question");
    expect(ended.stderr.match(/it runs/g)).toHaveLength(3);
  });
});
