import type { AbortSource } from "../support/async/abort-source.js";
import { backoffMilliseconds } from "../support/async/backoff.js";
import { sleep } from "../support/async/sleep.js";
import type { EpisodeOptions, EpisodeResult, RejectedEpisode, RolloutEngine, RolloutWorkflow } from "./contract.js";
import { CutSessions } from "./cut-sessions.js";
import { deleteSessions } from "./delete-sessions.js";
import { toAbortRejection } from "./episode.js";
import { runWorkflow } from "./episode-result.js";
import { isProxyLoss, proxyLost } from "./proxy-loss.js";
import { watchProxy } from "./proxy-watch.js";
import { Rejection, type RejectionCode } from "./rejection.js";

export interface RetryOptions {
  /** Time for which an episode waits for a proxy that was lost. */
  readonly proxyWaitSeconds: number;
  /** Number of times that an episode may fail before it counts as rejected. */
  readonly maxFailures: number;
  /** Reasons after which an episode does not run again. */
  readonly noRetryOn?: readonly RejectionCode[] | undefined;
  /** Reward of an episode that failed for the last time. Undefined: it is rejected. */
  readonly failureReward?: number | undefined;
  /** Is called when an episode runs again, before the pause. */
  readonly onRetry?: ((reason: Rejection, options: EpisodeOptions) => void) | undefined;
}

const LOSS_PAUSES = { firstMilliseconds: 100, longestMilliseconds: 5_000 };
const FAILURE_PAUSES = { firstMilliseconds: 500, longestMilliseconds: 30_000 };
/** A task that makes every proxy crash must end. No other cause takes the proxy so often from one episode. */
const MAX_LOSSES = 16;
/** Reasons that are never a failure of the episode itself, or that the agent wants. */
const FINAL_CODES: ReadonlySet<RejectionCode> = new Set(["episode_aborted", "group_incomplete", "agent_refused"]);

/**
 * Runs a workflow again if it failed. If the process or the proxy crashed and the agent can resume, the episode goes on instead of
 * beginning anew. This is decided only here, in a job's own process and on rollout workers. Members of a group run again alone.
 *
 * - **The proxy was lost** (`proxy_lost`): waits until it answers, and runs the episode again. This is not counted. If the proxy does
 *   not answer in time, the result is `proxy_lost`. The caller must not take this for the result of the task.
 * - **The episode failed**: runs it again after a pause, until it has failed `maxFailures` times.
 */
export class RetryingWorkflow<Data = unknown> implements RolloutWorkflow<Data> {
  readonly workflow: RolloutWorkflow<Data>;
  readonly #options: RetryOptions;

  constructor(workflow: RolloutWorkflow<Data>, options: RetryOptions) {
    this.workflow = workflow;
    this.#options = options;
  }

  get canResume(): boolean {
    return this.workflow.canResume ?? false;
  }

  async arunEpisode(engine: RolloutEngine, data: Data, options: EpisodeOptions = {}): Promise<EpisodeResult> {
    const { maxFailures, onRetry } = this.#options;
    const { cutSessions = new CutSessions() } = options;
    let [losses, failures] = [0, 0];
    for (;;) {
      const [earlierLosses, earlierFailures] = [losses, failures];
      const failureReward = this.#rewardAfter(failures);
      const keepsCut = (reason: Rejection) =>
        reason.code === "proxy_lost"
          ? earlierLosses + 1 < MAX_LOSSES
          : !this.#isFinal(reason) && earlierFailures + 1 < maxFailures;
      const attempt = { ...options, failureReward, cutSessions, keepsCut };
      const result = noteLoss(await runWorkflow(this.workflow, engine, data, attempt), engine);
      const reason = findReason(result);
      if (reason === undefined || options.signal?.aborted) return result;
      const isLoss = reason.code === "proxy_lost";
      if (isLoss && ++losses === MAX_LOSSES) return withReason(result, tooManyLosses(reason));
      if (!isLoss && (this.#isFinal(reason) || ++failures >= maxFailures)) return result;
      onRetry?.(reason, options);
      try {
        const pauses = isLoss
          ? backoffMilliseconds(losses - 1, LOSS_PAUSES)
          : backoffMilliseconds(failures - 1, FAILURE_PAUSES);
        await sleep(pauses * (0.5 + Math.random()), options.signal);
        if (isLoss && !(await this.#waitForProxy(engine, options.signal))) return result;
      } catch (error) {
        // A proxy that was lost may take a minute to answer.
        void freeSessions(engine, result, options);
        return withReason(result, toAbortRejection(error));
      }
      await freeSessions(engine, result, { ...options, cutSessions });
    }
  }

  #waitForProxy(engine: RolloutEngine, signal: AbortSource | undefined): Promise<boolean> {
    return watchProxy(engine).waitUntilAnswers(this.#options.proxyWaitSeconds, signal);
  }

  /** Returns the reward of an episode that fails once more, after it has failed `failures` times. */
  #rewardAfter(failures: number): EpisodeOptions["failureReward"] {
    const { failureReward, maxFailures } = this.#options;
    if (failureReward === undefined) return undefined;
    return (reason) => {
      if (FINAL_CODES.has(reason.code)) return undefined;
      return this.#isFinal(reason) || failures + 1 >= maxFailures ? failureReward : undefined;
    };
  }

  #isFinal({ code }: Rejection): boolean {
    return FINAL_CODES.has(code) || (this.#options.noRetryOn?.includes(code) ?? false);
  }
}

/** Returns true if a task has no result, because its proxy was lost and did not come back. */
export function isWithoutProxy({ rejected }: EpisodeResult): boolean {
  return rejected.some(({ reason }) => reason.code === "proxy_lost");
}

/** A user's workflow may call the proxy itself. Its errors are then those of the proxy. */
function noteLoss(result: EpisodeResult, engine: RolloutEngine): EpisodeResult {
  const [only] = result.rejected;
  if (only?.reason.code !== "workflow_error" || !isProxyLoss(only.reason.cause)) return result;
  watchProxy(engine).noteLoss(true);
  return withReason(result, proxyLost(only.reason.cause));
}

/** Returns why the workflow must run again; undefined if it has a result. A result with accepted episodes is lost with its proxy only. */
function findReason({ accepted, rejected }: EpisodeResult): Rejection | undefined {
  const lost = rejected.find(({ reason }) => reason.code === "proxy_lost");
  if (lost || accepted.length > 0) return lost?.reason;
  return rejected[0]?.reason;
}

function withReason(result: EpisodeResult, reason: Rejection): EpisodeResult {
  return { accepted: [], rejected: result.rejected.map((episode) => ({ ...episode, reason })) };
}

function tooManyLosses(last: Rejection): Rejection {
  const message = `The proxy was lost ${MAX_LOSSES} times while this episode ran. The last time: ${last.message}`;
  return new Rejection("worker_lost", message, { cause: last });
}

/** Deletes the sessions of an episode that runs again. */
async function freeSessions(
  engine: RolloutEngine,
  { accepted, rejected }: EpisodeResult,
  { rejectedSessions, leaseId, cutSessions }: EpisodeOptions,
): Promise<void> {
  // The sessions of other rejected episodes are freed already.
  const isLeft = ({ reason }: RejectedEpisode) => rejectedSessions === "keep" || reason.code === "proxy_lost";
  const kept = rejected.filter(isLeft).flatMap(({ sessionId }) => sessionId ?? []);
  const unneeded = kept.filter((sessionId) => !cutSessions?.has(sessionId));
  await deleteSessions(engine, [
    ...accepted,
    ...unneeded.map((sessionId) => ({ sessionId, url: engine.url, leaseId })),
  ]);
}
