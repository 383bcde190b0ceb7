import { AdminClient } from "../client/admin-client.js";
import type { ExportFilters } from "../client/export-filters.js";
import { HttpTransport, proxyUrl } from "../client/transport.js";
import { Deadline } from "../support/async/deadline.js";
import type { TraceHeaders } from "../telemetry/trace-headers.js";
import type {
  Agent,
  EpisodeExportOptions,
  EpisodeOptions,
  EpisodeResult,
  RolloutEngine,
  RolloutWorkflow,
} from "./contract.js";
import { Episode } from "./episode.js";
import { isHttpUrl } from "./http-url.js";
import { LostLease } from "./lost-lease.js";
import { findProxyLoss, proxyLost } from "./proxy-loss.js";
import { watchProxy } from "./proxy-watch.js";
import { Rejection } from "./rejection.js";
import { SubprocError } from "./subproc/errors.js";
import { invalidOption } from "./workflow-error.js";

export interface ProxyWorkflowOptions extends EpisodeExportOptions {
  /** Address of the proxy. Default: that of the engine. */
  readonly proxyUrl?: string | undefined;
  /** Maximum seconds of an episode, which is then rejected with `episode_timeout`. Default: no limit. */
  readonly timeoutSeconds?: number | undefined;
}

/** `gen_ai.operation.name` of an episode, and the name of its span. */
const EPISODE = "invoke_agent";

interface TracedOptions extends EpisodeOptions {
  readonly traceHeaders?: TraceHeaders | undefined;
}

/**
 * Runs an agent whose model calls go through a proxy, with one session per episode. The session ends in every case. The
 * data of a rejected episode is freed.
 */
export class ProxyWorkflow<Data = unknown> implements RolloutWorkflow<Data> {
  readonly agent: Agent<Data>;
  readonly #options: ProxyWorkflowOptions;
  readonly #url: string | undefined;

  /** @throws WorkflowError `invalid_option` if an option is out of its range */
  constructor(agent: Agent<Data>, options: ProxyWorkflowOptions = {}) {
    checkOptions(options);
    this.agent = agent;
    this.#options = options;
    this.#url = options.proxyUrl && proxyUrl(options.proxyUrl);
  }

  get canResume(): boolean {
    return this.agent.resume !== undefined;
  }

  async arunEpisode(engine: RolloutEngine, data: Data, options: EpisodeOptions = {}): Promise<EpisodeResult> {
    const { taskId, groupId } = options;
    const attributes = { operation: EPISODE, taskId, groupId };
    const traced = engine.telemetry?.start({ name: EPISODE, kind: "internal", attributes });
    try {
      const result = await this.#run(engine, data, { ...options, traceHeaders: traced?.headers });
      const [rejected] = result.rejected;
      traced?.trace?.set({ sessionId: (result.accepted[0] ?? rejected)?.sessionId });
      if (rejected) traced?.trace?.fail(rejected.reason.code);
      return result;
    } finally {
      traced?.trace?.end();
    }
  }

  async #run(engine: RolloutEngine, data: Data, options: TracedOptions): Promise<EpisodeResult> {
    const { groupId } = options;
    const url = this.#url ?? engine.url;
    const admin = new AdminClient(new HttpTransport(url, engine.connections), engine.adminKey);
    using deadline = new Deadline(options.signal, this.#options.timeoutSeconds, () => this.#expired());
    const { signal } = deadline;
    const startedAt = performance.now();
    const episode = new Episode({ ...this.#options, ...options, admin, url, connections: engine.connections, signal });
    try {
      return { accepted: [await episode.run(this.agent, data)], rejected: [] };
    } catch (error) {
      const failed = Rejection.from("export_failed", error);
      const { sessionId } = episode;
      const watch = watchProxy({ url, connections: engine.connections });
      const isAborted = options.signal?.aborted ?? false;
      const loss = isAborted ? undefined : await findProxyLoss({ reason: failed, sessionId, admin, watch, startedAt });
      const reason = loss ? proxyLost(loss) : failed;
      const reward = loss || isAborted ? undefined : options.failureReward?.(reason);
      // The agent's calls are aborted first, so that the session has no more of them.
      if (reward !== undefined) deadline.abort(reason);
      const rescued = reward === undefined ? undefined : await episode.rescue(reward);
      if (rescued) return { accepted: [rescued], rejected: [] };
      const { cutSessions, leaseId } = options;
      if (sessionId !== undefined && cutSessions && !isAborted && this.#keepsCut(reason, options)) {
        cutSessions.add({ sessionId, leaseId });
        return { accepted: [], rejected: [{ sessionId, groupId, reason }] };
      }
      // The controller deletes the session when the task has ended.
      if (this.canResume && reason instanceof LostLease)
        return { accepted: [], rejected: [{ sessionId, groupId, reason }] };
      const discarded = episode.discard();
      // A proxy that was lost may take a minute to answer.
      if (!loss) await discarded;
      return { accepted: [], rejected: [{ sessionId, groupId, reason }] };
    } finally {
      // Requests that the agent left running are aborted with its episode.
      deadline.abort(new Rejection("episode_aborted", "The episode is over."));
    }
  }

  #keepsCut(reason: Rejection, { keepsCut }: EpisodeOptions): boolean {
    return this.canResume && isCrash(reason) && (keepsCut?.(reason) ?? false);
  }

  #expired(): Rejection {
    return new Rejection(
      "episode_timeout",
      `The episode exceeded its limit of ${this.#options.timeoutSeconds} seconds.`,
    );
  }
}

/** Returns true if the agent did not end by itself: its process or its proxy did. */
function isCrash({ code, cause }: Rejection): boolean {
  return code === "proxy_lost" || (cause instanceof SubprocError && cause.code === "worker_exited");
}

function checkOptions({
  discount = 1,
  style = "individual",
  concatReward = "leaf",
  onMismatch = "error",
  rewardScope = "interaction",
  filters = {},
  timeoutSeconds,
  proxyUrl: url,
}: ProxyWorkflowOptions): void {
  if (typeof discount !== "number" || !(discount >= 0 && discount <= 1))
    throw invalidOption("discount", discount, "a number from 0 to 1");
  if (style !== "individual" && style !== "concat") throw invalidOption("style", style, "individual or concat");
  if (concatReward !== "leaf" && concatReward !== "return") {
    throw invalidOption("concatReward", concatReward, "leaf or return");
  }
  if (concatReward === "return" && style !== "concat") {
    throw invalidOption("concatReward", concatReward, "leaf, because rows of style individual have one turn each");
  }
  if (onMismatch !== "error" && onMismatch !== "split") {
    throw invalidOption("onMismatch", onMismatch, "error or split");
  }
  if (rewardScope !== "interaction" && rewardScope !== "session") {
    throw invalidOption("rewardScope", rewardScope, "interaction or session");
  }
  checkFilters(filters);
  if (timeoutSeconds !== undefined && !(timeoutSeconds > 0)) {
    throw invalidOption("timeoutSeconds", timeoutSeconds, "a number of seconds above 0");
  }
  if (url !== undefined && !isHttpUrl(url)) throw invalidOption("proxyUrl", url, "an http or https URL");
}

function checkFilters({ models, excludeModels, tags, roots = "all", overlong = "keep" }: ExportFilters): void {
  for (const [name, patterns] of Object.entries({ models, excludeModels, tags })) {
    const isList = Array.isArray(patterns) && patterns.length > 0 && patterns.every((each) => typeof each === "string");
    if (patterns !== undefined && !isList)
      throw invalidOption(`filters.${name}`, patterns, "a list of at least one text");
  }
  if (roots !== "all" && roots !== "rewarded") throw invalidOption("filters.roots", roots, "all or rewarded");
  if (overlong !== "keep" && overlong !== "drop") throw invalidOption("filters.overlong", overlong, "keep or drop");
}
