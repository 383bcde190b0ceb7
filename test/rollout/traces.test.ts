import { describe, expect, it } from "vitest";
import { ProxyWorkflow } from "../../src/rollout/proxy-workflow.js";
import { createAgent } from "../helpers/agents.js";
import { listeningProxy } from "../helpers/listening-proxy.js";
import { startTelemetry } from "../helpers/traces.js";

describe("an episode", () => {
  it("is a span whose children are its requests and the model calls of its agent", async () => {
    const worker = await startTelemetry();
    const server = await startTelemetry({ ratio: 0 });
    const { engine } = await listeningProxy({ telemetry: server.telemetry });
    const workflow = new ProxyWorkflow(createAgent(2, () => 1));
    const run = { taskId: "poem", groupId: "g" };
    const { accepted } = await workflow.arunEpisode({ ...engine, telemetry: worker.telemetry }, "rain", run);
    const episode = (await worker.flush()).span("invoke_agent");
    expect(episode).toMatchObject({ kind: "internal", parentId: "", failed: false });
    expect(episode.attributes).toEqual({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.conversation.id": accepted[0]?.sessionId,
      "rolltape.task.id": "poem",
      "rolltape.group.id": "g",
    });
    const receiver = await server.flush();
    expect(receiver.childrenOf(episode)).toEqual([
      "POST /rl/start_session",
      "chat tiny",
      "chat tiny",
      "POST /rl/set_reward",
      "POST /rl/end_session",
      "POST /export_trajectories",
    ]);
    expect(new Set(receiver.spans.map(({ traceId }) => traceId))).toEqual(new Set([episode.traceId]));
  });

  it("tells the proxy that it is not sampled", async () => {
    const worker = await startTelemetry({ ratio: 0 });
    const server = await startTelemetry({ ratio: 1 });
    const { engine } = await listeningProxy({ telemetry: server.telemetry });
    await new ProxyWorkflow(createAgent(1, () => 1)).arunEpisode({ ...engine, telemetry: worker.telemetry }, "rain");
    const names = (await server.flush()).spans.map(({ name }) => name);
    // Capacity belongs to no episode.
    expect(names).toEqual(["POST /grant_capacity"]);
  });

  it("fails with the code of its rejection", async () => {
    const { telemetry, flush } = await startTelemetry();
    const { engine } = await listeningProxy();
    const agent = { run: () => Promise.reject(new Error("private")) };
    await new ProxyWorkflow(agent).arunEpisode({ ...engine, telemetry }, "rain");
    expect((await flush()).span("invoke_agent")).toMatchObject({
      failed: true,
      attributes: { "error.type": "agent_error" },
    });
  });
});
