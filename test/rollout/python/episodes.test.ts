import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseConfig } from "../../../src/config/index.js";
import { ProxyWorkflow } from "../../../src/rollout/proxy-workflow.js";
import { PythonAgent } from "../../../src/rollout/python/python-agent.js";
import { resolveWorkflow } from "../../../src/rollout/resolve-workflow.js";
import { listeningProxy } from "../../helpers/listening-proxy.js";
import { until } from "../../helpers/until.js";
import { isAlive } from "../subproc/context.js";

const AGENTS = fileURLToPath(new URL("./agents", import.meta.url));

describe("episodes of Python agents", () => {
  it("run at once in one process, each with its own session, and reward their calls by id", async () => {
    const { proxy, engine } = await listeningProxy();
    await using agent = new PythonAgent("chat.py:solve", { directory: AGENTS, maxWorkers: 1 });
    const workflow = new ProxyWorkflow(agent);
    const tasks = [1, 2, 3, 4].map((n) => ({ words: Array.from({ length: n }, (_, i) => `w${i}`), reward: n / 4 }));
    const results = await Promise.all(
      tasks.map((task, i) => workflow.arunEpisode(engine, task, { taskId: `t${i}`, groupId: "g" })),
    );
    expect(results.flatMap(({ rejected }) => rejected)).toEqual([]);
    for (const [i, { accepted }] of results.entries()) {
      const interactions = [...(accepted[0]?.interactions?.values() ?? [])];
      expect(interactions.map(({ ownReward }) => ownReward).filter((reward) => reward !== undefined)).toEqual([
        (i + 1) / 4,
      ]);
      expect(interactions).toHaveLength(i + 1);
    }
    expect([...proxy.context.registry.all()].map(({ taskId }) => taskId).toSorted()).toEqual(["t0", "t1", "t2", "t3"]);
  });

  it("are rejected with invalid_reward if the agent returns None", async () => {
    const { engine } = await listeningProxy();
    await using agent = new PythonAgent("chat.py:solve", { directory: AGENTS, maxWorkers: 1 });
    const { rejected } = await new ProxyWorkflow(agent).arunEpisode(engine, { words: ["a"], none: true });
    expect(rejected[0]?.reason).toMatchObject({
      code: "invalid_reward",
      message: expect.stringContaining("received None") as string,
    });
  });
});

describe("resolveWorkflow with the name of a Python file", () => {
  it("runs it, also with mode subproc of a configuration", async () => {
    const { engine } = await listeningProxy();
    const config = parseConfig({ rollout: { agent: { mode: "subproc", subproc_max_workers: 1 } }, group_size: 2 });
    const workflow = await resolveWorkflow<object>("chat.py:solve", { directory: AGENTS, config });
    const { accepted } = await workflow.arunEpisode(engine, { words: ["a"], reward: 1 });
    expect(accepted.map(({ rewards }) => [...rewards.values()])).toEqual([[1], [1]]);
  });

  it("fails at once if it cannot be imported", async () => {
    const failed = resolveWorkflow("broken.py:solve", { directory: AGENTS });
    await expect(failed).rejects.toMatchObject({ name: "WorkflowError", code: "import_failed" });
  });

  it("uses rollout.agent.python", async () => {
    const config = parseConfig({ rollout: { agent: { python: "/nowhere/python" } } });
    const failed = resolveWorkflow("chat.py:solve", { directory: AGENTS, config });
    await expect(failed).rejects.toMatchObject({ code: "program_not_started" });
  });
});

describe("the processes of a Python agent", () => {
  it("end when the process that uses them is killed", async () => {
    const program = `
      import { PythonAgent } from ${JSON.stringify(new URL("../../../src/rollout/python/python-agent.ts", import.meta.url).href)};
      const agent = new PythonAgent("obedient.py:solve", { directory: ${JSON.stringify(AGENTS)} });
      const context = { base_url: "http://127.0.0.1:9", api_key: "k", signal: new AbortController().signal };
      console.log(await agent.run({}, context));
      await agent.run({ do: "hang" }, context);
    `;
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const pid = Number(line.toString());
    expect(isAlive(pid)).toBe(true);
    child.kill("SIGKILL");
    await until(() => !isAlive(pid));
  });

  it("do not keep the process that uses them alive", async () => {
    const program = `
      import { PythonAgent } from ${JSON.stringify(new URL("../../../src/rollout/python/python-agent.ts", import.meta.url).href)};
      const agent = new PythonAgent("obedient.py:solve", { directory: ${JSON.stringify(AGENTS)} });
      const context = { base_url: "http://127.0.0.1:9", api_key: "k", signal: new AbortController().signal };
      console.log(await agent.run({}, context));
    `;
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const output = once(child.stdout, "data");
    expect(await once(child, "close")).toEqual([0, null]);
    const pid = Number(((await output) as [Buffer])[0].toString());
    await until(() => !isAlive(pid));
  });
});
