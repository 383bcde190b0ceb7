import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ConnectionPool } from "../../src/client/connection-pool.js";
import { ProxyError } from "../../src/client/errors.js";
import type { EpisodeOptions, EpisodeResult, RolloutEngine } from "../../src/rollout/contract.js";
import { CutSessions } from "../../src/rollout/cut-sessions.js";
import { watchProxy } from "../../src/rollout/proxy-watch.js";
import { Rejection } from "../../src/rollout/rejection.js";
import { isWithoutProxy, RetryingWorkflow, type RetryOptions } from "../../src/rollout/retrying-workflow.js";
import { acceptedAs, rejectedWith } from "../job/held-workflow.js";

/** A pause is this part of the one that is doubled each time, because chance gives 0.25. */
const CHANCE = 0.75;

const DONE = acceptedAs("done");

/** Runs an episode whose attempts have these results. Its pauses are passed by the test. */
function start(results: readonly EpisodeResult[], retries: Partial<RetryOptions> = {}, options: EpisodeOptions = {}) {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(0.25);
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  const proxy = { answers: true, deleted: [] as string[] };
  const request: ConnectionPool["request"] = async (url, { method }) => {
    const { pathname, search } = new URL(url);
    if (method === "DELETE") proxy.deleted.push(pathname.replace("/rl/sessions/", "") + search);
    if (!proxy.answers) throw new Error("refused");
    const body = Buffer.from(pathname === "/health" ? '{"status":"ok"}' : '{"deleted":true}');
    return { status: 200, headers: {}, body };
  };
  const engine: RolloutEngine = { url: "http://proxy", adminKey: "k", connections: { request } as ConnectionPool };
  const attempts: EpisodeOptions[] = [];
  const left = [...results];
  const workflow = {
    arunEpisode: async (_: RolloutEngine, __: number, given: EpisodeOptions = {}) => {
      attempts.push(given);
      return left.shift() ?? DONE;
    },
  };
  const told: string[] = [];
  const retrying = new RetryingWorkflow(workflow, {
    proxyWaitSeconds: 10,
    maxFailures: 99,
    onRetry: ({ code }) => void told.push(code),
    ...retries,
  });
  const ended = retrying.arunEpisode(engine, 0, options);
  const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
  return { ended, attempts, told, proxy, pass, engine };
}

/** Passes pauses, and checks that each attempt begins after its own. */
async function expectPauses({ attempts, pass }: ReturnType<typeof start>, pauses: readonly number[]) {
  await pass(0);
  for (const [earlier, pause] of pauses.entries()) {
    await pass(CHANCE * pause - 1);
    expect(attempts).toHaveLength(earlier + 1);
    await pass(1);
    expect(attempts).toHaveLength(earlier + 2);
  }
}

describe("an episode that failed", () => {
  it("runs again after longer and longer pauses", async () => {
    const episode = start(Array.from({ length: 8 }, () => rejectedWith("agent_error")));
    await expectPauses(episode, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    expect(await episode.ended).toBe(DONE);
    expect(episode.told).toEqual(Array.from({ length: 8 }, () => "agent_error"));
  });

  it.each([
    ["episode_aborted", 1],
    ["group_incomplete", 1],
    ["agent_refused", 1],
    ["invalid_reward", 1],
    ["agent_error", 2],
  ] as const)("with %s ends after %i attempts", async (code, count) => {
    const results = [rejectedWith(code), rejectedWith(code), rejectedWith(code)];
    const episode = start(results, { maxFailures: 2, noRetryOn: ["invalid_reward"] });
    await episode.pass(60_000);
    expect(await episode.ended).toEqual(results[count - 1]);
    expect([episode.attempts.length, episode.told.length]).toEqual([count, count - 1]);
  });

  it("has a result if some of its group were accepted", async () => {
    const result = { ...rejectedWith("agent_error"), accepted: DONE.accepted };
    expect(await start([result]).ended).toBe(result);
  });

  it("does not run again once it is aborted", async () => {
    const failed = rejectedWith("agent_error");
    expect(await start([failed], {}, { signal: AbortSignal.abort(new Error("enough")) }).ended).toEqual(failed);
    const abort = new AbortController();
    const { ended, pass } = start([failed], {}, { signal: abort.signal });
    await pass(100);
    const stopped = new Rejection("episode_aborted", "stopped");
    abort.abort(stopped);
    expect((await ended).rejected).toEqual([{ reason: stopped }]);
    const given = new AbortController();
    const other = start([failed], {}, { signal: given.signal });
    await other.pass(100);
    const cause = new Error("enough");
    given.abort(cause);
    const message = "The episode was aborted by its caller.";
    expect((await other.ended).rejected).toMatchObject([{ reason: { code: "episode_aborted", message, cause } }]);
  });

  it("has the failure reward from its last attempt on, unless its reason is final", async () => {
    const reasonOf = (code: Rejection["code"]) => new Rejection(code, "no");
    const failed = rejectedWith("agent_error");
    const { ended, attempts, pass } = start([failed, failed], {
      maxFailures: 2,
      failureReward: -1,
      noRetryOn: ["invalid_reward"],
    });
    await pass(60_000);
    await ended;
    const rewards = (code: Rejection["code"]) => attempts.map(({ failureReward }) => failureReward?.(reasonOf(code)));
    expect(rewards("agent_error")).toEqual([undefined, -1]);
    expect(rewards("invalid_reward")).toEqual([-1, -1]);
    expect(rewards("agent_refused")).toEqual([undefined, undefined]);
    const without = start([]);
    await without.ended;
    expect(without.attempts[0]?.failureReward).toBeUndefined();
  });

  it("keeps cut sessions for its next attempt, if there is one", async () => {
    const failed = rejectedWith("agent_error");
    const { ended, attempts, pass } = start(
      [failed, failed],
      { maxFailures: 2, noRetryOn: ["invalid_reward"] },
      { taskId: "t" },
    );
    await pass(60_000);
    await ended;
    const keeps = (code: Rejection["code"]) => attempts.map(({ keepsCut }) => keepsCut?.(new Rejection(code, "no")));
    expect(keeps("agent_error")).toEqual([true, false]);
    expect(keeps("invalid_reward")).toEqual([false, false]);
    expect(keeps("proxy_lost")).toEqual([true, true]);
    expect(attempts[0]?.cutSessions).toBeInstanceOf(CutSessions);
    expect(attempts[1]?.cutSessions).toBe(attempts[0]?.cutSessions);
    expect(attempts.map(({ taskId }) => taskId)).toEqual(["t", "t"]);
    const cutSessions = new CutSessions();
    const given = start([], {}, { cutSessions });
    await given.ended;
    expect(given.attempts[0]?.cutSessions).toBe(cutSessions);
  });
});

describe("an episode whose proxy was lost", () => {
  const lost = rejectedWith("proxy_lost");

  it("runs again after short pauses, which are no failures, at most 16 times", async () => {
    const episode = start(
      Array.from({ length: 16 }, () => lost),
      { maxFailures: 1 },
    );
    await expectPauses(episode, [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
    await episode.pass(60_000);
    const [rejected] = (await episode.ended).rejected;
    expect(rejected?.reason).toMatchObject({
      code: "worker_lost",
      message: "The proxy was lost 16 times while this episode ran. The last time: because of proxy_lost",
      cause: lost.rejected[0]?.reason,
    });
    expect(episode.attempts).toHaveLength(16);
    const keeps = episode.attempts.map(({ keepsCut }) => keepsCut?.(new Rejection("proxy_lost", "no")));
    expect(keeps).toEqual([...Array.from({ length: 15 }, () => true), false]);
  });

  it("has no result if the proxy does not answer in time", async () => {
    const { ended, proxy, pass, attempts } = start([lost]);
    proxy.answers = false;
    await pass(60_000);
    const result = await ended;
    expect([isWithoutProxy(result), isWithoutProxy(DONE), isWithoutProxy(rejectedWith("agent_error"))]).toEqual([
      true,
      false,
      false,
    ]);
    expect(attempts).toHaveLength(1);
  });

  it("is one whose accepted members are lost too, with their sessions", async () => {
    const result = {
      ...lost,
      accepted: acceptedAs("a", "b").accepted.map((each) => ({ ...each, url: "http://proxy" })),
    };
    const { ended, pass, proxy } = start([result]);
    await pass(100);
    expect(await ended).toBe(DONE);
    expect(proxy.deleted.toSorted()).toEqual(["a", "b"]);
  });

  it("is one whose own workflow failed with an error of the proxy", async () => {
    const cause = new ProxyError("connection_failed", "refused");
    const failed = {
      accepted: [],
      rejected: [{ groupId: "g", reason: new Rejection("workflow_error", "refused", { cause }) }],
    };
    const { ended, told, pass, engine } = start([failed], { maxFailures: 1 });
    await pass(0);
    expect([told, watchProxy(engine).isAbsent]).toEqual([["proxy_lost"], true]);
    await pass(100);
    expect(await ended).toBe(DONE);
    const other = {
      accepted: [],
      rejected: [{ reason: new Rejection("workflow_error", "a bug", { cause: new Error("a bug") }) }],
    };
    expect(await start([other], { maxFailures: 1 }).ended).toEqual(other);
  });
});

describe("the sessions of an episode that runs again", () => {
  const failedWith = (code: Rejection["code"], ...sessions: (string | undefined)[]): EpisodeResult => ({
    accepted: [],
    rejected: sessions.map((sessionId) => ({ sessionId, reason: new Rejection(code, "no") })),
  });

  it.each([
    ["agent_error", undefined, []],
    ["agent_error", "keep", ["a", "b"]],
    ["proxy_lost", undefined, ["a", "b"]],
  ] as const)("are deleted if they are left (%s, %s)", async (code, rejectedSessions, deleted) => {
    const { ended, pass, proxy } = start([failedWith(code, "a", undefined, "b")], {}, { rejectedSessions });
    await pass(500);
    await ended;
    expect(proxy.deleted.toSorted()).toEqual(deleted);
  });

  it("are deleted with their lease only, and not if the next attempt goes on with them", async () => {
    const cutSessions = new CutSessions();
    cutSessions.add({ sessionId: "b", leaseId: "l" });
    const { ended, pass, proxy } = start([failedWith("proxy_lost", "a", "b")], {}, { cutSessions, leaseId: "l" });
    await pass(500);
    await ended;
    expect(proxy.deleted).toEqual([expect.stringMatching(/^a\?.*=l/)]);
  });
});

it.each([
  [undefined, false],
  [true, true],
])("can resume if its workflow can: %s", (canResume, expected) => {
  const workflow = { arunEpisode: async () => DONE, canResume };
  expect(new RetryingWorkflow(workflow, { proxyWaitSeconds: 1, maxFailures: 1 }).canResume).toBe(expected);
});
