import { describe, expect, it, onTestFinished } from "vitest";
import type { AgentContext, EpisodeOptions, EpisodeResult, RolloutEngine } from "../../src/rollout/contract.js";
import { GroupedWorkflow } from "../../src/rollout/grouped-workflow.js";
import { ProxyWorkflow } from "../../src/rollout/proxy-workflow.js";
import { Rejection } from "../../src/rollout/rejection.js";
import { converse, createAgent } from "../helpers/agents.js";
import { listeningProxy } from "../helpers/listening-proxy.js";
import { until } from "../helpers/until.js";

/** The members of a group, in the order of their start. Each can behave differently. */
function memberwise(...members: ((topic: string, context: AgentContext) => Promise<number>)[]) {
  let next = 0;
  return {
    run(topic: string, context: AgentContext): Promise<number> {
      const member = members[next++];
      if (!member) throw new Error("more members than the test has");
      return member(topic, context);
    },
  };
}

const turn = async (topic: string, context: AgentContext) => (await converse(context, topic, 1)).length;
const fail = async (): Promise<number> => {
  throw new Error("the agent broke");
};

describe("GroupedWorkflow", () => {
  it("runs its members on the same data, with one new group id", async () => {
    const { proxy, engine } = await listeningProxy();
    const topics: string[] = [];
    const agent = {
      async run(topic: string, context: AgentContext) {
        topics.push(topic);
        await converse(context, topic, 1);
        return topics.length;
      },
    };
    const workflow = new GroupedWorkflow(new ProxyWorkflow(agent), 4);
    const first = await workflow.arunEpisode(engine, "rain", { taskId: "poem" });
    const second = await workflow.arunEpisode(engine, "snow", { taskId: "poem" });
    expect(topics).toEqual(["rain", "rain", "rain", "rain", "snow", "snow", "snow", "snow"]);
    expect([first.accepted.length, first.rejected.length]).toEqual([4, 0]);
    const groups = (result: EpisodeResult) => new Set(result.accepted.map(({ groupId }) => groupId));
    expect(groups(first).size).toBe(1);
    expect(groups(second)).not.toEqual(groups(first));
    for (const { sessionId, groupId } of first.accepted) {
      expect(proxy.context.registry.get(sessionId).groupId).toBe(groupId);
    }
    const named = await workflow.arunEpisode(engine, "ash", { groupId: "mine" });
    expect(groups(named)).toEqual(new Set(["mine"]));
  });

  it("drops the whole group if a member is rejected: the others are aborted, freed and listed as rejected", async () => {
    const { proxy, engine } = await listeningProxy();
    const started: AgentContext[] = [];
    const waiting = async (topic: string, context: AgentContext) => {
      started.push(context);
      return turn(topic, context);
    };
    proxy.engine.hold();
    const failing = async () => {
      await until(() => proxy.engine.calls.length === 2);
      return fail();
    };
    const agent = memberwise(waiting, failing, waiting);
    const { accepted, rejected } = await new GroupedWorkflow(new ProxyWorkflow(agent), 3).arunEpisode(engine, "rain");
    expect(accepted).toEqual([]);
    const codes = rejected.map(({ reason }) => reason.code);
    expect(codes.filter((code) => code === "group_incomplete")).toHaveLength(2);
    expect(codes).toContain("agent_error");
    expect(started.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expect(new Set(rejected.map(({ groupId }) => groupId)).size).toBe(1);
    expect([...proxy.context.registry.all()]).toEqual([]);
  });

  it.each(["interactions", "deferred"] as const)(
    "drops members that were accepted before another was rejected, and frees their sessions (export %s)",
    async (exportAs) => {
      const { proxy, engine } = await listeningProxy();
      const late = async () => {
        await until(() =>
          [...proxy.context.registry.all()].every(({ id, state }) => id === "task-1" || state !== "active"),
        );
        return fail();
      };
      const workflow = new GroupedWorkflow(new ProxyWorkflow(memberwise(turn, late)), 2);
      const { accepted, rejected } = await workflow.arunEpisode(engine, "rain", { export: exportAs });
      expect(accepted).toEqual([]);
      expect(new Set(rejected.map(({ reason }) => reason.code))).toEqual(new Set(["group_incomplete", "agent_error"]));
      expect([...proxy.context.registry.all()]).toEqual([]);
    },
  );

  it("keeps the accepted members with dropIncompleteGroup false", async () => {
    const { engine } = await listeningProxy();
    const workflow = new GroupedWorkflow(new ProxyWorkflow(memberwise(turn, fail, turn)), 3, {
      dropIncompleteGroup: false,
    });
    const { accepted, rejected } = await workflow.arunEpisode(engine, "rain");
    expect(accepted.map(({ interactions }) => interactions?.size)).toEqual([1, 1]);
    expect(rejected.map(({ reason }) => reason.code)).toEqual(["agent_error"]);
  });

  it("lists a member whose workflow throws as rejected", async () => {
    const { engine } = await listeningProxy();
    const proxied = new ProxyWorkflow(createAgent(1, () => 1));
    let calls = 0;
    const own = {
      async arunEpisode(given: RolloutEngine, data: string, options: EpisodeOptions): Promise<EpisodeResult> {
        if (calls++ === 0) throw new TypeError("not today");
        return proxied.arunEpisode(given, data, options);
      },
    };
    const { accepted, rejected } = await new GroupedWorkflow(own, 2, { dropIncompleteGroup: false }).arunEpisode(
      engine,
      "rain",
    );
    expect(accepted).toHaveLength(1);
    expect(rejected[0]?.reason).toMatchObject({ code: "workflow_error", message: "not today" });
  });

  it("leaves the sessions of rejected members, ended, to a caller that keeps them", async () => {
    const { proxy, engine } = await listeningProxy();
    const workflow = new GroupedWorkflow(new ProxyWorkflow(memberwise(turn, fail, turn)), 3);
    const { rejected } = await workflow.arunEpisode(engine, "rain", { export: "deferred", rejectedSessions: "keep" });
    const states = rejected.map(({ sessionId = "" }) => proxy.context.registry.get(sessionId).state);
    expect(states).toEqual(["ended", "ended", "ended"]);
  });

  it("passes its caller's signal to every member", async () => {
    const { proxy, engine } = await listeningProxy();
    proxy.engine.hold();
    const caller = new AbortController();
    const workflow = new GroupedWorkflow(new ProxyWorkflow(createAgent(1, () => 1)), 3);
    const running = workflow.arunEpisode(engine, "rain", { signal: caller.signal });
    await until(() => proxy.engine.calls.length === 3);
    caller.abort(new Rejection("episode_aborted", "the rollout stops"));
    const { rejected } = await running;
    expect(rejected.map(({ reason }) => reason.code)).toEqual(Array(3).fill("episode_aborted"));
    expect([...proxy.context.registry.all()]).toEqual([]);
  });

  it("adds many listeners to one signal without Node's leak warning", async () => {
    const { engine } = await listeningProxy();
    const warnings: Error[] = [];
    const listen = (warning: Error) => warnings.push(warning);
    process.on("warning", listen);
    onTestFinished(() => void process.off("warning", listen));
    const wide = {
      run: async (topic: string, context: AgentContext) =>
        (await Promise.all(Array.from({ length: 12 }, (_, i) => converse(context, `${topic} ${i}`, 1)))).length,
    };
    const { signal } = new AbortController();
    const { accepted } = await new GroupedWorkflow(new ProxyWorkflow(wide), 12).arunEpisode(engine, "rain", { signal });
    expect(accepted.map(({ interactionCount }) => interactionCount)).toEqual(Array(12).fill(12));
    expect(warnings).toEqual([]);
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses a group size of %s", (size) => {
    expect(() => new GroupedWorkflow(new ProxyWorkflow(createAgent(1, () => 1)), size)).toThrow("groupSize");
  });
});
