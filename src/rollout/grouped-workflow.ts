import { randomUUID } from "node:crypto";
import { AdminClient } from "../client/admin-client.js";
import { HttpTransport } from "../client/transport.js";
import { Deadline } from "../support/async/deadline.js";
import type {
  AcceptedEpisode,
  EpisodeOptions,
  EpisodeResult,
  RejectedEpisode,
  RolloutEngine,
  RolloutWorkflow,
} from "./contract.js";
import { deleteSessions } from "./delete-sessions.js";
import { runWorkflow } from "./episode-result.js";
import { askForSession } from "./proxy-loss.js";
import { watchProxy } from "./proxy-watch.js";
import { Rejection } from "./rejection.js";
import { invalidOption } from "./workflow-error.js";

export interface GroupedWorkflowOptions {
  /**
   * True (default): as soon as one member of a group is rejected, the others are aborted, and the group gives no
   * trajectory. False: the accepted members are kept.
   */
  readonly dropIncompleteGroup?: boolean | undefined;
}

/** Runs a workflow several times on the same data. The sessions share a `group_id`. */
export class GroupedWorkflow<Data = unknown> implements RolloutWorkflow<Data> {
  readonly workflow: RolloutWorkflow<Data>;
  readonly groupSize: number;
  readonly #drop: boolean;

  constructor(workflow: RolloutWorkflow<Data>, groupSize: number, options: GroupedWorkflowOptions = {}) {
    if (!Number.isInteger(groupSize) || groupSize < 1)
      throw invalidOption("groupSize", groupSize, "a positive integer");
    this.workflow = workflow;
    this.groupSize = groupSize;
    this.#drop = options.dropIncompleteGroup ?? true;
  }

  get canResume(): boolean {
    return this.workflow.canResume ?? false;
  }

  /** Resolves when every member has ended. The result lists members in the order of their start. */
  async arunEpisode(engine: RolloutEngine, data: Data, options: EpisodeOptions = {}): Promise<EpisodeResult> {
    const groupId = options.groupId ?? `group-${randomUUID()}`;
    using siblings = new Deadline(options.signal, undefined, () => new Error("no limit"));
    const startedAt = performance.now();
    const member = async (): Promise<EpisodeResult> => {
      const result = await runWorkflow(this.workflow, engine, data, { ...options, groupId, signal: siblings.signal });
      if (this.#drop && result.rejected.length > 0) siblings.abort(incomplete());
      return result;
    };
    const ended = await Promise.all(Array.from({ length: this.groupSize }, member));
    const isOver = siblings.aborted || options.export !== "deferred";
    const isKept = isOver || !watchProxy(engine).wasLostSince(startedAt);
    // Members that had ended may be lost while others still run. They run again alone, once: the export finds later losses.
    const again = async (each: EpisodeResult) => ((await hasLostSessions(engine, each)) ? member() : each);
    const results = isKept ? ended : await Promise.all(ended.map(again));
    const accepted = results.flatMap((result) => result.accepted);
    const rejected = results.flatMap((result) => result.rejected);
    if (!this.#drop || rejected.length === 0) return { accepted, rejected };
    if (options.rejectedSessions !== "keep") await deleteSessions(engine, accepted);
    return {
      accepted: [],
      rejected: results.flatMap(({ accepted, rejected }) => [...accepted.map(drop), ...rejected]),
    };
  }
}

async function hasLostSessions(engine: RolloutEngine, { accepted }: EpisodeResult): Promise<boolean> {
  const losses = accepted.map(({ url, sessionId }) =>
    askForSession(new AdminClient(new HttpTransport(url, engine.connections), engine.adminKey), sessionId),
  );
  return (await Promise.all(losses)).some((loss) => loss !== undefined);
}

function incomplete(): Rejection {
  return new Rejection("group_incomplete", "Another member of the group was rejected.");
}

function drop({ sessionId, groupId }: AcceptedEpisode): RejectedEpisode {
  return { sessionId, groupId, reason: incomplete() };
}
