import { describe, expect, it, onTestFinished } from "vitest";
import { type AgentContext, AgentRefusal, type EpisodeResult } from "../../src/rollout/contract.js";
import { GroupedWorkflow } from "../../src/rollout/grouped-workflow.js";
import { watchProxy } from "../../src/rollout/proxy-watch.js";
import { ProxyWorkflow } from "../../src/rollout/proxy-workflow.js";
import { isWithoutProxy, RetryingWorkflow, type RetryOptions } from "../../src/rollout/retrying-workflow.js";
import { converse } from "../helpers/agents.js";
import { listeningProxy } from "../helpers/listening-proxy.js";
import { Proxy } from "../helpers/proxy.js";
import { until } from "../helpers/until.js";

const codes = ({ rejected }: EpisodeResult) => rejected.map(({ reason }) => reason.code);

/** An agent whose runs behave differently, in the order of their start. Each makes a call first. */
function runs(...each: ((context: AgentContext) => unknown)[]) {
  let next = 0;
  return {
    get count() {
      return next;
    },
    async run(topic: string, context: AgentContext): Promise<number> {
      const run = each[next++];
      await converse(context, topic, 1);
      return (await run?.(context)) as number;
    },
  };
}

const fail = () => {
  throw new Error("no luck");
};

const retrying = (agent: ReturnType<typeof runs>, options: Partial<RetryOptions> = {}) =>
  new RetryingWorkflow(new ProxyWorkflow(agent), { proxyWaitSeconds: 10, maxFailures: 3, ...options });

describe("an episode that fails", () => {
  it("runs again, and its failed sessions are deleted, also if rejected sessions are kept", async () => {
    const { proxy, engine } = await listeningProxy();
    const agent = runs(fail, fail, () => 1);
    const { accepted, rejected } = await retrying(agent).arunEpisode(engine, "rain", {
      export: "deferred",
      rejectedSessions: "keep",
    });
    expect(rejected).toEqual([]);
    expect([...proxy.context.registry.all()].map(({ id }) => id)).toEqual(accepted.map(({ sessionId }) => sessionId));
  });

  it("is rejected after the given number of failures, with its last reason", async () => {
    const { proxy, engine } = await listeningProxy();
    const agent = runs(fail, fail, fail);
    const result = await retrying(agent, { maxFailures: 2 }).arunEpisode(engine, "rain");
    expect(codes(result)).toEqual(["agent_error"]);
    expect(agent.count).toBe(2);
    expect([...proxy.context.registry.all()]).toEqual([]);
  });

  it.each([
    ["its reason is in noRetryOn", () => Number.NaN, "invalid_reward"],
    [
      "the agent refused it",
      () => {
        throw new AgentRefusal("not solvable");
      },
      "agent_refused",
    ],
  ])("does not run again if %s", async (_, run, code) => {
    const { engine } = await listeningProxy();
    const agent = runs(run);
    const result = await retrying(agent, { noRetryOn: ["invalid_reward"] }).arunEpisode(engine, "rain");
    expect(codes(result)).toEqual([code]);
    expect(agent.count).toBe(1);
  });

  it("does not run again if it is aborted in the pause", async () => {
    const { engine } = await listeningProxy();
    const abort = new AbortController();
    const agent = runs(fail, () => 1);
    const workflow = retrying(agent, { onRetry: () => abort.abort(new Error("enough")) });
    const result = await workflow.arunEpisode(engine, "rain", { signal: abort.signal });
    expect(codes(result)).toEqual(["episode_aborted"]);
    expect(agent.count).toBe(1);
  });

  it("becomes a sample with the failure reward after its last failure", async () => {
    const { engine } = await listeningProxy();
    const agent = runs(fail, fail);
    const { accepted } = await retrying(agent, { maxFailures: 2, failureReward: -1 }).arunEpisode(engine, "rain");
    expect(accepted.map(({ rewards, interactions }) => [[...rewards.values()], interactions?.size])).toEqual([
      [[-1], 1],
    ]);
    expect(agent.count).toBe(2);
  });

  it("becomes a sample with the failure reward after a time-out", async () => {
    const { engine } = await listeningProxy();
    const agent = runs(() => new Promise(() => {}));
    const workflow = new RetryingWorkflow(new ProxyWorkflow(agent, { timeoutSeconds: 0.5 }), {
      proxyWaitSeconds: 1,
      maxFailures: 1,
      failureReward: 0,
    });
    const { accepted } = await workflow.arunEpisode(engine, "rain");
    expect(accepted.map(({ rewards }) => [...rewards.values()])).toEqual([[0]]);
  });

  it("stays rejected without a model call, or if the agent refused it", async () => {
    const { engine } = await listeningProxy();
    const silent = { run: () => Promise.reject(new Error("no call")) };
    const options = { proxyWaitSeconds: 1, maxFailures: 1, failureReward: 0 };
    const result = await new RetryingWorkflow(new ProxyWorkflow(silent), options).arunEpisode(engine, "rain");
    expect(codes(result)).toEqual(["agent_error"]);
    const refusing = runs(() => {
      throw new AgentRefusal("no");
    });
    expect(codes(await retrying(refusing, options).arunEpisode(engine, "rain"))).toEqual(["agent_refused"]);
  });
});

describe("an episode whose proxy is lost", () => {
  it("waits while the proxy is cordoned, which still has sessions of others", async () => {
    const { proxy, engine } = await listeningProxy();
    await proxy.session();
    await proxy.post("/rl/cordon", {});
    const agent = runs(() => 1);
    const running = retrying(agent).arunEpisode(engine, "rain");
    await until(() => watchProxy(engine).isAbsent);
    await proxy.post("/rl/uncordon", {});
    expect((await running).accepted).toHaveLength(1);
  });

  it("waits until the proxy answers at its address, and runs again without counting it as a failure", async () => {
    const { proxy, engine, url } = await listeningProxy();
    const agent = runs(
      async () => {
        await proxy.close();
        setTimeout(() => void listenAgain(), 500);
        throw new Error("the agent sees a broken connection");
      },
      () => 1,
    );
    const listenAgain = async () => {
      const again = await Proxy.start();
      await again.app.listen({ host: "127.0.0.1", port: Number(new URL(url).port) });
      onTestFinished(() => again.close());
    };
    const retries: string[] = [];
    const workflow = retrying(agent, { maxFailures: 1, onRetry: ({ code }) => retries.push(code) });
    const { accepted, rejected } = await workflow.arunEpisode(engine, "rain");
    expect([accepted.length, rejected]).toEqual([1, []]);
    expect(retries).toEqual(["proxy_lost"]);
  });

  it("runs again if the proxy has no session of it any more", async () => {
    const { proxy, engine } = await listeningProxy();
    const agent = runs(
      async () => {
        for (const { id } of proxy.context.registry.all()) await proxy.context.registry.delete(id);
        throw new Error("401: the key is unknown");
      },
      () => 1,
    );
    const { accepted } = await retrying(agent, { maxFailures: 1 }).arunEpisode(engine, "rain");
    expect(accepted).toHaveLength(1);
  });

  it("has no result if the proxy does not come back in time", async () => {
    const { proxy, engine } = await listeningProxy();
    await proxy.close();
    const result = await retrying(runs(), { proxyWaitSeconds: 0.3 }).arunEpisode(engine, "rain");
    expect(isWithoutProxy(result)).toBe(true);
    expect(codes(result)).toEqual(["proxy_lost"]);
  });

  it("runs again alone in a group if it had ended before, while others still ran", async () => {
    const { proxy, engine } = await listeningProxy();
    const agent = runs(
      () => 1,
      async () => {
        const ended = () => [...proxy.context.registry.all()].filter(({ state }) => state === "ended");
        await until(() => ended().length === 1);
        for (const { id } of ended()) await proxy.context.registry.delete(id);
        watchProxy(engine).noteLoss(false);
        return 2;
      },
      () => 3,
    );
    const group = new GroupedWorkflow(retrying(agent), 2);
    const { accepted, rejected } = await group.arunEpisode(engine, "rain", { export: "deferred" });
    expect(rejected).toEqual([]);
    expect(accepted.flatMap(({ rewards }) => [...rewards.values()]).toSorted((a, b) => a - b)).toEqual([2, 3]);
  });

  it("runs again alone in a group, whose other members are kept", async () => {
    const { proxy, engine } = await listeningProxy();
    const agent = runs(
      () => 1,
      async () => {
        const active = () => [...proxy.context.registry.all()].filter(({ state }) => state === "active");
        await until(() => active().length === 1);
        for (const { id } of active()) await proxy.context.registry.delete(id);
        return 2;
      },
      () => 3,
    );
    const group = new GroupedWorkflow(retrying(agent, { maxFailures: 1 }), 2);
    const { accepted, rejected } = await group.arunEpisode(engine, "rain", { export: "deferred" });
    expect(rejected).toEqual([]);
    expect(accepted.flatMap(({ rewards }) => [...rewards.values()]).toSorted((a, b) => a - b)).toEqual([1, 3]);
    expect(agent.count).toBe(3);
  });
});
