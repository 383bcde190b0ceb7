import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ProxyWorkflow } from "../../../src/rollout/proxy-workflow.js";
import { ProgramAgent } from "../../../src/rollout/subproc/program-agent.js";
import { SubprocAgent } from "../../../src/rollout/subproc/subproc-agent.js";
import { listeningProxy } from "../../helpers/listening-proxy.js";
import { AGENTS, pool } from "./context.js";

describe("episodes of agents in subprocesses", () => {
  it("record calls in their own sessions; if a process dies, only its episode is rejected", async () => {
    const { proxy, engine } = await listeningProxy();
    const agent = new SubprocAgent<{ topic: string }>(pool({ maxWorkers: 2 }), "./chat.ts#ChatAgent", {
      directory: AGENTS,
    });
    const workflow = new ProxyWorkflow(agent);
    const topics = ["rain", "snowfall", "crash", "fog"];
    const results = await Promise.all(
      topics.map((topic) => workflow.arunEpisode(engine, { topic }, { taskId: topic })),
    );
    expect(results.map(({ rejected }) => rejected.map(({ reason }) => reason.code))).toEqual([
      [],
      [],
      ["agent_error"],
      [],
    ]);
    for (const [i, { accepted }] of results.entries()) {
      const [interaction] = accepted[0]?.interactions?.values() ?? [];
      expect(interaction?.ownReward).toBe(topics[i] === "crash" ? undefined : topics[i]?.length);
      expect(accepted[0]?.interactionCount).toBe(topics[i] === "crash" ? undefined : 1);
    }
    expect(results[2]?.rejected[0]?.reason.message).toContain("status 9");
    expect([...proxy.context.registry.all()].map(({ taskId }) => taskId).toSorted()).toEqual([
      "fog",
      "rain",
      "snowfall",
    ]);
  });

  it("may be programs in another language, which reward their calls by id", async () => {
    const { engine } = await listeningProxy();
    const agent = new ProgramAgent<object>(pool(), { command: ["python3", join(AGENTS, "agent.py")] });
    const { accepted, rejected } = await new ProxyWorkflow(agent).arunEpisode(engine, {
      question: "why?",
      reward: 0.75,
    });
    expect(rejected).toEqual([]);
    expect([...(accepted[0]?.rewards.values() ?? [])]).toEqual([0.75]);
    expect(accepted[0]?.interactions?.size).toBe(1);
  });
});
