import { describe, expect, it, onTestFinished } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { RolloutController } from "../../src/job/controller.js";
import { connectProxy } from "../../src/rollout/connect.js";
import { GroupedWorkflow } from "../../src/rollout/grouped-workflow.js";
import { resolveWorkflow } from "../../src/rollout/resolve-workflow.js";
import { createAgent } from "../helpers/agents.js";
import { listeningProxy } from "../helpers/listening-proxy.js";
import { HeldWorkflow, settled } from "../job/held-workflow.js";

const AGENT = { run: () => Promise.resolve(1) };

describe("resolveWorkflow with a configuration", () => {
  it.each([
    ["that replaces the options", (config: ReturnType<typeof parseConfig>) => config],
    ["that is one of the options", (config: ReturnType<typeof parseConfig>) => ({ config })],
  ])("creates groups of group_size with a configuration %s", async (_, toOptions) => {
    const workflow = await resolveWorkflow(AGENT, toOptions(parseConfig({ group_size: 3 })));
    expect(workflow).toBeInstanceOf(GroupedWorkflow);
    expect(workflow).toMatchObject({ groupSize: 3 });
  });

  it("prefers options to the configuration", async () => {
    const workflow = await resolveWorkflow(AGENT, { config: parseConfig({ group_size: 3 }), groupSize: 2 });
    expect(workflow).toMatchObject({ groupSize: 2 });
  });

  it("rewards and exports as the configuration says", async () => {
    const { engine } = await listeningProxy({ settings: { chatTemplateType: "concat" } });
    const episodeWith = async (keys: object, rewards: (ids: string[]) => unknown) => {
      const config = parseConfig({ rollout: { agent: { export_style: "concat", turn_discount: 0.5, ...keys } } });
      const workflow = await resolveWorkflow<string>(createAgent(2, rewards), config);
      const { accepted } = await workflow.arunEpisode(engine, "rain");
      return accepted[0]?.interactions;
    };
    const returned = await episodeWith({ concat_reward: "return" }, ([first = "", last = ""]) => ({
      [first]: 1,
      [last]: 4,
    }));
    expect([...(returned?.values() ?? [])].map(({ reward }) => reward)).toEqual([3]);
    expect((await episodeWith({ reward_scope: "session" }, () => 7))?.sessionReward).toBe(7);
  });

  it("filters the interactions of an episode as the configuration says", async () => {
    const { engine } = await listeningProxy();
    const countWith = async (export_filters: object) => {
      const config = parseConfig({ rollout: { agent: { export_filters } } });
      const workflow = await resolveWorkflow<string>(
        createAgent(2, () => 1),
        config,
      );
      const { accepted } = await workflow.arunEpisode(engine, "rain");
      return accepted[0]?.interactions?.size;
    };
    expect(await countWith({})).toBe(2);
    expect(await countWith({ models: ["other"], roots: "rewarded" })).toBe(0);
    expect(await countWith({ exclude_models: ["other"], tags: [""] })).toBe(2);
  });

  it("refuses mode subproc for an agent that would run in this process", async () => {
    const config = parseConfig({ rollout: { agent: { mode: "subproc", subproc_max_workers: 2 } } });
    await expect(resolveWorkflow(AGENT, config)).rejects.toMatchObject({
      code: "invalid_option",
      message: expect.stringContaining("rollout.agent.mode is subproc") as string,
    });
  });
});

describe("RolloutController with a configuration", () => {
  const control = async (given: ConstructorParameters<typeof RolloutController<number>>[2]) => {
    const engine = connectProxy({ url: "http://127.0.0.1:9", adminKey: "sk-admin-of-no-proxy" });
    onTestFinished(() => engine.close());
    const workflow = new HeldWorkflow();
    const controller = new RolloutController<number>(workflow, engine, given);
    for (let task = 0; task < 9; task++) controller.submit(task);
    await settled();
    return workflow.started.length;
  };
  const config = parseConfig({
    rollout: { max_concurrent_rollouts: 5, max_staleness: 1, consumer_batch_size: 2 },
  });

  it("starts as many tasks as its limits allow", async () => {
    // (1 + 0 + 1) × 2
    expect(await control(config)).toBe(4);
    expect(await control({ config, maxStaleness: 0 })).toBe(2);
    expect(await control({ config, maxStaleness: 8 })).toBe(5);
  });

  it("refuses a configuration without consumer_batch_size", async () => {
    await expect(control(parseConfig({}))).rejects.toThrow(
      "rollout.consumer_batch_size must be an integer of at least 1 for a controller",
    );
    expect(await control({ config: parseConfig({}), consumerBatchSize: 3 })).toBe(3);
  });
});
