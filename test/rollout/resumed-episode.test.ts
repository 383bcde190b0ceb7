import { describe, expect, it } from "vitest";
import type { AgentContext, EpisodeOptions } from "../../src/rollout/contract.js";
import { CutSessions } from "../../src/rollout/cut-sessions.js";
import { GroupedWorkflow } from "../../src/rollout/grouped-workflow.js";
import { LostLease } from "../../src/rollout/lost-lease.js";
import { ProxyWorkflow } from "../../src/rollout/proxy-workflow.js";
import { RetryingWorkflow } from "../../src/rollout/retrying-workflow.js";
import { SubprocError } from "../../src/rollout/subproc/errors.js";
import type { EpisodeTranscript } from "../../src/transcript/episode-transcript.js";
import { converse, openAi } from "../helpers/agents.js";
import { listeningProxy } from "../helpers/listening-proxy.js";

const crash = () => {
  throw new SubprocError("worker_exited", "The agent's process ended.");
};

/** An agent whose runs make one call and then do this; and which goes on with one more call. */
function resumable(...ends: (() => number)[]) {
  const transcripts: EpisodeTranscript[] = [];
  const agent = {
    runs: 0,
    transcripts,
    async run(topic: string, context: AgentContext): Promise<number> {
      await converse(context, topic, 1);
      return (ends[agent.runs++] ?? (() => 1))();
    },
    async resume(_topic: string, transcript: EpisodeTranscript, context: AgentContext): Promise<number> {
      transcripts.push(transcript);
      const messages = [...transcript.messages, { role: "user" as const, content: "go on" }];
      await openAi(context).chat.completions.create({ model: "tiny", messages: messages as never });
      return (ends[agent.runs++] ?? (() => 1))();
    },
  };
  return agent;
}

const retries = { proxyWaitSeconds: 10, maxFailures: 3 };
const deferred: EpisodeOptions = { export: "deferred" };

describe("an episode whose process has crashed", () => {
  it("goes on in its session with `resume`, which is given the conversation and its turns", async () => {
    const { proxy, engine } = await listeningProxy();
    const agent = resumable(crash);
    const result = await new RetryingWorkflow(new ProxyWorkflow(agent), retries).arunEpisode(engine, "rain", deferred);
    const [{ sessionId, interactionCount } = { sessionId: "", interactionCount: 0 }] = result.accepted;
    expect(interactionCount).toBe(2);
    expect([...proxy.context.registry.all()].map(({ id }) => id)).toEqual([sessionId]);
    const [transcript] = agent.transcripts;
    expect(transcript).toMatchObject({
      session_id: sessionId,
      messages: [{ role: "user", content: "rain" }, { role: "assistant" }],
      turns: [{ parent: null, kept: 0, finish_reason: "stop", tag: null, reward: null }],
    });
    expect(proxy.context.registry.get(sessionId).interaction(1).parent).toBe(0);
  });

  it("is rejected after as many failures as another one, and its session is deleted", async () => {
    const { proxy, engine } = await listeningProxy();
    const agent = resumable(crash, crash, crash);
    const result = await new RetryingWorkflow(new ProxyWorkflow(agent), retries).arunEpisode(engine, "rain", deferred);
    expect(result.rejected).toMatchObject([{ reason: { code: "agent_error" } }]);
    expect(agent.transcripts.map(({ turns }) => turns.length)).toEqual([1, 2]);
    expect([...proxy.context.registry.all()]).toEqual([]);
  });

  it("begins anew if its agent failed by itself, or has no `resume`", async () => {
    const { engine } = await listeningProxy();
    const failing = resumable(() => {
      throw new Error("no luck");
    });
    await new RetryingWorkflow(new ProxyWorkflow(failing), retries).arunEpisode(engine, "rain", deferred);
    expect(failing.transcripts).toEqual([]);
    const plain = Object.assign(resumable(crash), { resume: undefined });
    const result = await new RetryingWorkflow(new ProxyWorkflow(plain), retries).arunEpisode(engine, "rain", deferred);
    expect(result.accepted).toMatchObject([{ interactionCount: 1 }]);
  });
});

describe("a task whose lease was lost", () => {
  /** Starts sessions with a lease, as a worker does that then dies. */
  async function cut(turns: readonly number[]) {
    const { proxy, engine } = await listeningProxy();
    const sessions: string[] = [];
    for (const count of turns) {
      await engine.admin.grantCapacity();
      const { sessionId, sessionApiKey: api_key } = await engine.admin.startSession({ leaseId: "lost" });
      const context = { base_url: engine.url, api_key, http_client: fetch, signal: new AbortController().signal };
      await converse(context, "rain", count);
      sessions.push(sessionId);
    }
    return { proxy, engine, sessions };
  }

  it("goes on with each of its sessions once; those without an answered call are deleted", async () => {
    const { proxy, engine, sessions } = await cut([1, 0, 2]);
    const agent = resumable();
    const workflow = new GroupedWorkflow(new ProxyWorkflow(agent), 3);
    const options = { ...deferred, leaseId: "next", cutSessions: new CutSessions(["lost"]) };
    const { accepted } = await workflow.arunEpisode(engine, "rain", options);
    expect(accepted.map(({ interactionCount }) => interactionCount).toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
    expect(agent.transcripts.map(({ session_id }) => session_id).toSorted()).toEqual([sessions[0], sessions[2]]);
    const all = [...proxy.context.registry.all()];
    expect(all.map(({ leaseId }) => leaseId)).toEqual(["next", "next", "next"]);
    expect(all.map(({ id }) => id)).not.toContain(sessions[1]);
  });

  it("keeps a session that was taken over when its former worker wakes up and cleans up", async () => {
    const { proxy, engine } = await listeningProxy();
    const started = new CutSessions();
    const next = resumable();
    let taken: Promise<unknown> = Promise.resolve();
    const frozen = {
      async run(topic: string, context: AgentContext): Promise<number> {
        await converse(context, topic, 1);
        const cutSessions = new CutSessions(["lost"]);
        taken = new ProxyWorkflow(next).arunEpisode(engine, topic, { ...deferred, leaseId: "next", cutSessions });
        await taken;
        await converse(context, topic, 1);
        return 1;
      },
    };
    const options = { ...deferred, leaseId: "lost", cutSessions: started };
    const { rejected } = await new ProxyWorkflow(frozen).arunEpisode(engine, "rain", options);
    expect(rejected).toMatchObject([
      { reason: { code: "agent_error", message: expect.stringContaining("401") as string } },
    ]);
    expect(await taken).toMatchObject({ accepted: [{ interactionCount: 2 }] });
    expect([...proxy.context.registry.all()]).toMatchObject([{ leaseId: "next", state: "ended" }]);
  });

  it.each(["keep", "delete"] as const)(
    "leaves its session to the next attempt when its former worker wakes up first (rejectedSessions: %s)",
    async (rejectedSessions) => {
      const { proxy, engine } = await listeningProxy();
      const lease = new AbortController();
      const agent = resumable(() => {
        lease.abort(new LostLease());
        return 1;
      });
      const workflow = new RetryingWorkflow(new GroupedWorkflow(new ProxyWorkflow(agent), 1), retries);
      const first = { ...deferred, leaseId: "lost", rejectedSessions, signal: lease.signal };
      const { rejected } = await workflow.arunEpisode(engine, "rain", { ...first, cutSessions: new CutSessions() });
      expect(rejected).toMatchObject([{ reason: { code: "episode_aborted" } }]);
      const next = { ...deferred, leaseId: "next", rejectedSessions, cutSessions: new CutSessions(["lost"]) };
      expect(await workflow.arunEpisode(engine, "rain", next)).toMatchObject({ accepted: [{ interactionCount: 2 }] });
      expect([...proxy.context.registry.all()]).toMatchObject([{ leaseId: "next", state: "ended" }]);
    },
  );

  it("has its session deleted by its former worker if its agent cannot resume", async () => {
    const { proxy, engine } = await listeningProxy();
    const lease = new AbortController();
    const abort = () => {
      lease.abort(new LostLease());
      return 1;
    };
    const agent = Object.assign(resumable(abort), { resume: undefined });
    await new ProxyWorkflow(agent).arunEpisode(engine, "rain", { ...deferred, leaseId: "lost", signal: lease.signal });
    expect([...proxy.context.registry.all()]).toEqual([]);
  });

  it("begins anew if its sessions are gone", async () => {
    const { proxy, engine, sessions } = await cut([1]);
    const cutSessions = new CutSessions();
    cutSessions.add({ sessionId: sessions[0] ?? "", leaseId: "lost" });
    await proxy.context.registry.delete(sessions[0] ?? "");
    const agent = resumable();
    const { accepted } = await new ProxyWorkflow(agent).arunEpisode(engine, "rain", { ...deferred, cutSessions });
    expect(accepted).toMatchObject([{ interactionCount: 1 }]);
    expect(agent.transcripts).toEqual([]);
  });
});
