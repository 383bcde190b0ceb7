import { describe, expect, it } from "vitest";
import { ConnectionPool, type HttpReply, type HttpRequest } from "../../src/client/connection-pool.js";
import type { AgentContext, EpisodeResult } from "../../src/rollout/contract.js";
import { ProxyWorkflow } from "../../src/rollout/proxy-workflow.js";
import { converse, createAgent, openAi } from "../helpers/agents.js";
import { listeningProxy } from "../helpers/listening-proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { until } from "../helpers/until.js";

/** Returns the codes with which runs of an episode were rejected. */
const codes = ({ rejected }: EpisodeResult) => rejected.map(({ reason }) => reason.code);

/** Records the control calls, in order. */
class RecordingPool extends ConnectionPool {
  readonly paths: string[] = [];

  override request(url: string, request: HttpRequest): Promise<HttpReply> {
    this.paths.push(`${request.method} ${new URL(url).pathname}`);
    return super.request(url, request);
  }
}

describe("an accepted episode", () => {
  it("grants capacity, runs the agent, rewards, ends and exports, in this order", async () => {
    const { engine } = await listeningProxy();
    await using connections = new RecordingPool();
    const agent = {
      async run(topic: string, context: AgentContext) {
        await converse(context, topic, 1);
        connections.paths.push("the agent returns");
        return 1;
      },
    };
    await new ProxyWorkflow(agent).arunEpisode({ ...engine, connections }, "rain");
    expect(connections.paths).toEqual([
      "POST /grant_capacity",
      "POST /rl/start_session",
      "the agent returns",
      "POST /rl/set_reward",
      "POST /rl/end_session",
      "POST /export_trajectories",
    ]);
  });

  it("rewards the last completion with a number, and discounts it as configured", async () => {
    const { proxy, engine } = await listeningProxy();
    const workflow = new ProxyWorkflow(
      createAgent(3, () => 1),
      { discount: 0.5 },
    );
    const { accepted, rejected } = await workflow.arunEpisode(engine, "rain", { taskId: "poem", groupId: "g" });
    expect(rejected).toEqual([]);
    const [episode] = accepted;
    expect(episode).toMatchObject({ sessionId: "poem-0", url: engine.url, groupId: "g", interactionCount: 3 });
    const interactions = [...(episode?.interactions?.values() ?? [])];
    expect(interactions.map(({ reward }) => reward)).toEqual([0.25, 0.5, 1]);
    expect(interactions.map(({ ownReward }) => ownReward)).toEqual([undefined, undefined, 1]);
    expect([...(episode?.rewards ?? [])]).toEqual([[interactions[2]?.id, 1]]);
    expect(proxy.context.registry.get("poem-0").state).toBe("exported");
  });

  it("rewards the whole session with a number if the reward scope is session", async () => {
    const { engine } = await listeningProxy();
    const workflow = new ProxyWorkflow(
      createAgent(3, () => 1),
      { discount: 0.5, rewardScope: "session" },
    );
    const { accepted } = await workflow.arunEpisode(engine, "rain");
    const [episode] = accepted;
    const interactions = [...(episode?.interactions?.values() ?? [])];
    expect(interactions.map(({ reward }) => reward)).toEqual([0.25, 0.5, 1]);
    expect(interactions.map(({ ownReward }) => ownReward)).toEqual([undefined, undefined, undefined]);
    expect(episode?.interactions?.sessionReward).toBe(1);
    expect([...(episode?.rewards ?? [])]).toEqual([[episode?.sessionId, 1]]);
  });

  it("rewards the completions of a mapping with either reward scope", async () => {
    const { engine } = await listeningProxy();
    const workflow = new ProxyWorkflow(
      createAgent(2, (ids) => ({ [ids[0] ?? ""]: 3 })),
      { rewardScope: "session" },
    );
    const { accepted } = await workflow.arunEpisode(engine, "rain");
    const interactions = [...(accepted[0]?.interactions?.values() ?? [])];
    expect(interactions.map(({ ownReward }) => ownReward)).toEqual([3, undefined]);
    expect(accepted[0]?.interactions?.sessionReward).toBeUndefined();
    expect([...(accepted[0]?.rewards ?? [])]).toEqual([[interactions[0]?.id, 3]]);
  });

  it("sums the rewards of all turns of a concat row with concatReward return", async () => {
    const { engine } = await listeningProxy({ settings: { chatTemplateType: "concat" } });
    const agent = createAgent(2, (ids) => ({ [ids[0] ?? ""]: 1, [ids[1] ?? ""]: 4 }));
    const workflow = new ProxyWorkflow(agent, { style: "concat", concatReward: "return", discount: 0.5 });
    const { accepted } = await workflow.arunEpisode(engine, "rain");
    expect([...(accepted[0]?.interactions?.values() ?? [])].map(({ reward }) => reward)).toEqual([3]);
  });

  it.each([
    ["is rejected by default", {}, { accepted: 0, rejected: ["export_failed"], rows: 0 }],
    [
      "gives a row of its own with onMismatch split",
      { onMismatch: "split" as const },
      { accepted: 1, rejected: [], rows: 2 },
    ],
  ])("with a call that does not continue its parent's tokens in style concat %s", async (_, options, expected) => {
    // The model samples "ab" as two tokens. The next prompt encodes the text as one other token.
    const { proxy, engine } = await listeningProxy({ settings: { chatTemplateType: "hf" } });
    proxy.engine.fallback = { ids: [64, 65] };
    const workflow = new ProxyWorkflow(
      createAgent(2, () => 1),
      { style: "concat", ...options },
    );
    const { accepted, rejected } = await workflow.arunEpisode(engine, "rain");
    expect({
      accepted: accepted.length,
      rejected: rejected.map(({ reason }) => reason.code),
      rows: accepted[0]?.interactions?.size ?? 0,
    }).toEqual(expected);
  });

  it("includes the messages of interactions with includeMessages", async () => {
    const { engine } = await listeningProxy();
    const messages = async (options: { includeMessages?: boolean }) => {
      const { accepted } = await new ProxyWorkflow(
        createAgent(1, () => 1),
        options,
      ).arunEpisode(engine, "rain");
      return [...(accepted[0]?.interactions?.values() ?? [])].map((each) => each.messages?.length);
    };
    expect(await messages({})).toEqual([undefined]);
    expect(await messages({ includeMessages: true })).toEqual([1]);
  });

  it.each([
    ["a plain object", (ids: string[]) => ({ [ids[0] ?? ""]: 0.25, [ids[1] ?? ""]: -1 })],
    ["a Map", (ids: string[]) => new Map([[ids[1], -1] as const, [ids[0], 0.25] as const])],
  ])("rewards each completion of %s", async (_, reward) => {
    const { engine } = await listeningProxy();
    const workflow = new ProxyWorkflow(createAgent(2, reward), { discount: 0 });
    const { accepted } = await workflow.arunEpisode(engine, "rain");
    const interactions = [...(accepted[0]?.interactions?.values() ?? [])];
    expect(interactions.map(({ ownReward }) => ownReward)).toEqual([0.25, -1]);
  });

  it("exports in the configured style", async () => {
    const { engine } = await listeningProxy({ settings: { chatTemplateType: "concat" } });
    const workflow = new ProxyWorkflow(
      createAgent(3, () => 1),
      { style: "concat" },
    );
    const { accepted } = await workflow.arunEpisode(engine, "rain");
    expect(accepted[0]?.interactionCount).toBe(3);
    expect(accepted[0]?.interactions?.size).toBe(1);
  });

  it("keeps its ended session for a batch if the export is deferred", async () => {
    const { proxy, engine } = await listeningProxy();
    const workflow = new ProxyWorkflow(createAgent(2, (ids) => ({ [ids[0] ?? ""]: 3 })));
    const results = await Promise.all(
      ["rain", "snow"].map((topic) => workflow.arunEpisode(engine, topic, { export: "deferred" })),
    );
    const episodes = results.flatMap(({ accepted }) => accepted);
    expect(episodes.map(({ interactions }) => interactions)).toEqual([undefined, undefined]);
    const session_ids = episodes.map(({ sessionId }) => sessionId);
    for (const id of session_ids) expect(proxy.context.registry.get(id).state).toBe("ended");
    const batch = await proxy.post("/export_batch", { session_ids, discount: 0 });
    expect(readSafetensors(batch.raw).tensors["rewards"]?.data).toEqual([3, 0, 3, 0]);
  });

  it("uses the proxy of the workflow, else that of the engine", async () => {
    const [own, engines] = [await listeningProxy(), await listeningProxy()];
    const workflow = new ProxyWorkflow(
      createAgent(1, () => 0),
      { proxyUrl: `${own.url}/v1/` },
    );
    const { accepted } = await workflow.arunEpisode(engines.engine, "rain");
    expect(accepted[0]?.url).toBe(own.url);
    expect(own.proxy.engine.calls).toHaveLength(1);
    expect(engines.proxy.engine.calls).toHaveLength(0);
  });

  it("may have a synchronous agent, whose calls are aborted when it returns without waiting for them", async () => {
    const { proxy, engine } = await listeningProxy();
    let stray: Promise<unknown> | undefined;
    const agent = {
      run(_: string, context: AgentContext) {
        proxy.engine.hold();
        stray = converse(context, "rain", 1).catch((error: unknown) => error);
        return {};
      },
    };
    expect(codes(await new ProxyWorkflow(agent).arunEpisode(engine, ""))).toEqual(["no_model_calls"]);
    expect(await stray).toBeInstanceOf(Error);
  });
});

describe("a rejected episode", () => {
  it.each<[string, unknown, string]>([
    ["invalid_reward", "0.5", 'the string "0.5"'],
    ["invalid_reward", undefined, "undefined"],
    ["invalid_reward", true, "true"],
    ["invalid_reward", Number.NaN, "NaN"],
    ["invalid_reward", Number.POSITIVE_INFINITY, "Infinity"],
    ["invalid_reward", 1e39, "1e+39"],
    ["invalid_reward", [1, 2], "an array"],
    ["invalid_reward", new Date(0), "an instance of Date"],
    ["invalid_reward", new Map([[1, 1]]), "a Map with the number 1 as a key"],
    ["invalid_reward", { some: "1" }, 'the string "1" for the string "some"'],
    ["unknown_interaction", { "chatcmpl-none": 1 }, "chatcmpl-none"],
  ])("is one whose agent returns an invalid reward: %s for %s", async (code, value, named) => {
    const { proxy, engine } = await listeningProxy();
    const result = await new ProxyWorkflow(createAgent(1, () => value)).arunEpisode(engine, "rain", { groupId: "g" });
    expect(codes(result)).toEqual([code]);
    expect(result.accepted).toEqual([]);
    expect(result.rejected[0]?.reason.message).toContain(named);
    expect(result.rejected[0]).toMatchObject({ sessionId: "task-0", groupId: "g" });
    expect([...proxy.context.registry.all()]).toEqual([]);
  });

  it.each([1, {}, new Map()])("is one without a model call, whatever it returns: %s", async (value) => {
    const { proxy, engine } = await listeningProxy();
    expect(codes(await new ProxyWorkflow(createAgent(0, () => value)).arunEpisode(engine, "rain"))).toEqual([
      "no_model_calls",
    ]);
    expect([...proxy.context.registry.all()]).toEqual([]);
  });

  it("is one whose agent throws: its session is ended and freed, its key revoked, its calls aborted", async () => {
    const { proxy, engine } = await listeningProxy();
    const error = new Error("the agent broke");
    let context: AgentContext | undefined;
    let stray: Promise<unknown> | undefined;
    const agent = {
      async run(_: string, given: AgentContext): Promise<number> {
        context = given;
        await converse(given, "rain", 1);
        proxy.engine.hold();
        stray = converse(given, "snow", 1).catch((thrown: unknown) => thrown);
        await until(() => proxy.engine.calls.length === 2);
        throw error;
      },
    };
    const result = await new ProxyWorkflow(agent).arunEpisode(engine, "");
    expect(codes(result)).toEqual(["agent_error"]);
    expect(result.rejected[0]?.reason).toMatchObject({ message: "the agent broke", cause: error });
    expect([...proxy.context.registry.all()]).toEqual([]);
    expect(proxy.engine.aborted).toHaveLength(1);
    expect(await stray).toBeInstanceOf(Error);
    expect((await proxy.post("/rl/end_session", {}, context?.api_key)).refusal).toBe("401 invalid_api_key");
  });

  it("is one that exceeds its time, even if the agent ignores the signal", async () => {
    const { proxy, engine } = await listeningProxy();
    const deaf = { run: () => new Promise<number>(() => {}) };
    const workflow = new ProxyWorkflow(deaf, { timeoutSeconds: 0.05 });
    const result = await workflow.arunEpisode(engine, undefined);
    expect(codes(result)).toEqual(["episode_timeout"]);
    expect([...proxy.context.registry.all()]).toEqual([]);
  });

  it("is one that its caller aborts: the engine stops, even if the agent does not pass the signal on", async () => {
    const { proxy, engine } = await listeningProxy();
    proxy.engine.hold();
    const caller = new AbortController();
    const reason = new Error("enough");
    const episode = new ProxyWorkflow(createAgent(1, () => 1)).arunEpisode(engine, "rain", { signal: caller.signal });
    await until(() => proxy.engine.calls.length === 1);
    caller.abort(reason);
    const result = await episode;
    expect(codes(result)).toEqual(["episode_aborted"]);
    expect(result.rejected[0]?.reason.cause).toBe(reason);
    await until(() => proxy.engine.aborted.length === 1);
    expect([...proxy.context.registry.all()]).toEqual([]);

    const late = await new ProxyWorkflow(createAgent(1, () => 1)).arunEpisode(engine, "rain", {
      signal: caller.signal,
    });
    expect(codes(late)).toEqual(["episode_aborted"]);
    expect([...proxy.context.registry.all()]).toEqual([]);
  });

  it("is one that cannot be exported, and its session is freed", async () => {
    const { proxy, engine } = await listeningProxy();
    const rewriter = {
      async run(topic: string, context: AgentContext) {
        const { completions } = openAi(context).chat;
        const user = { role: "user" as const, content: topic };
        await completions.create({ model: "tiny", messages: [user] });
        const messages = [user, { role: "assistant" as const, content: "rewritten" }, user];
        await completions.create({ model: "tiny", messages });
        return 1;
      },
    };
    const result = await new ProxyWorkflow(rewriter, { style: "concat" }).arunEpisode(engine, "rain");
    expect(codes(result)).toEqual(["export_failed"]);
    expect(result.rejected[0]?.reason.cause).toMatchObject({ code: "concat_mismatch", status: 422 });
    expect([...proxy.context.registry.all()]).toEqual([]);
  });

  it("is one whose proxy refuses or cannot be reached", async () => {
    const { proxy, engine } = await listeningProxy();
    const workflow = new ProxyWorkflow(createAgent(1, () => 1));
    const refused = await workflow.arunEpisode({ ...engine, adminKey: "sk-wrong-wrong-wrong" }, "rain");
    expect(codes(refused)).toEqual(["start_failed"]);
    expect(refused.rejected[0]?.reason.cause).toMatchObject({ code: "invalid_api_key" });
    expect(refused.rejected[0]?.sessionId).toBeUndefined();
    await proxy.close();
    const unreachable = await workflow.arunEpisode(engine, "rain");
    expect(codes(unreachable)).toEqual(["proxy_lost"]);
    expect(unreachable.rejected[0]?.reason.cause).toMatchObject({ code: "connection_failed" });
  });

  it("is one whose engine fails, if the agent does not catch the SDK's error", async () => {
    const { proxy, engine } = await listeningProxy();
    proxy.engine.replies.push(new Error("no more memory"));
    const result = await new ProxyWorkflow(createAgent(1, () => 1)).arunEpisode(engine, "rain");
    expect(codes(result)).toEqual(["agent_error"]);
    expect(result.rejected[0]?.reason.cause).toMatchObject({ status: 500 });
  });
});

describe("the agent's context", () => {
  it("has its six fields by name, and http_client serves plain fetch calls with URL, Request and a signal", async () => {
    const { engine } = await listeningProxy();
    let keys: string[] = [];
    const agent = {
      async run(_: string, context: AgentContext) {
        keys = Object.keys(context);
        const { base_url, api_key, http_client } = context;
        const init = {
          method: "POST",
          headers: new Headers({ authorization: `Bearer ${api_key}`, "content-type": "application/json" }),
          body: JSON.stringify({ model: "tiny", messages: [{ role: "user", content: "hello" }] }),
        };
        const url = `${base_url}/v1/chat/completions`;
        const replies = [
          await http_client(url, init),
          await http_client(new URL(url), init),
          await http_client(new Request(url, init)),
        ];
        const aborted = http_client(url, { ...init, signal: AbortSignal.abort(new Error("not now")) });
        await expect(aborted).rejects.toThrow("not now");
        const ids = await Promise.all(replies.map(async (each) => ((await each.json()) as { id: string }).id));
        return Object.fromEntries(ids.map((id, index) => [id, index]));
      },
    };
    const { accepted, rejected } = await new ProxyWorkflow(agent).arunEpisode(engine, "");
    expect(rejected).toEqual([]);
    expect(keys.toSorted((a, b) => a.localeCompare(b))).toEqual([
      "api_key",
      "base_url",
      "group_id",
      "http_client",
      "signal",
      "task_id",
    ]);
    expect([...(accepted[0]?.rewards.values() ?? [])]).toEqual([0, 1, 2]);
  });

  it("shares one connection pool, so that successive episodes reuse connections", async () => {
    const { proxy, engine } = await listeningProxy();
    let connections = 0;
    proxy.app.server.on("connection", () => connections++);
    const workflow = new ProxyWorkflow(createAgent(3, () => 1));
    for (let episode = 0; episode < 5; episode++) {
      expect((await workflow.arunEpisode(engine, "rain")).accepted).toHaveLength(1);
    }
    expect(connections).toBeLessThan(5);
  });

  it("serves the SDK's model list with the same address and key", async () => {
    const { engine } = await listeningProxy();
    let models: string[] = [];
    const agent = {
      async run(_: string, context: AgentContext) {
        models = (await openAi({ ...context, base_url: `${context.base_url}/v1` }).models.list()).data.map(
          ({ id }) => id,
        );
        await converse(context, "rain", 1);
        return 1;
      },
    };
    await new ProxyWorkflow(agent).arunEpisode(engine, "");
    expect(models).toEqual(["tiny"]);
  });
});

describe("a workflow's options", () => {
  it.each<[string, object]>([
    ["discount", { discount: 1.5 }],
    ["discount", { discount: Number.NaN }],
    ["style", { style: "tree" }],
    ["rewardScope", { rewardScope: "group" }],
    ["concatReward", { style: "concat", concatReward: "sum" }],
    ["concatReward", { concatReward: "return" }],
    ["onMismatch", { style: "concat", onMismatch: "drop" }],
    ["filters.models", { filters: { models: [] } }],
    ["filters.tags", { filters: { tags: "main" } }],
    ["filters.roots", { filters: { roots: "some" } }],
    ["timeoutSeconds", { timeoutSeconds: 0 }],
    ["proxyUrl", { proxyUrl: "localhost:8090" }],
  ])("are refused if they are out of range: %s in %j", (name, options) => {
    expect(
      () =>
        new ProxyWorkflow(
          createAgent(1, () => 1),
          options,
        ),
    ).toThrow(
      expect.objectContaining({ code: "invalid_option", message: expect.stringContaining(name) as string }) as Error,
    );
  });
});
