import { AdminClient } from "../../client/admin-client.js";
import { HttpTransport } from "../../client/transport.js";
import type { EpisodeTranscript } from "../../transcript/episode-transcript.js";
import type {
  Agent,
  AgentContext,
  EpisodeOptions,
  EpisodeResult,
  RolloutEngine,
  RolloutWorkflow,
} from "../contract.js";
import { CutSessions } from "../cut-sessions.js";
import { ProxyWorkflow, type ProxyWorkflowOptions } from "../proxy-workflow.js";
import { findCulprit } from "../subproc/agent-process.js";
import { SubprocError } from "../subproc/errors.js";
import type { PythonAgent } from "./python-agent.js";

/** An episode that lost its process this often, each time because of another one, runs alone. */
const MAX_LOSSES = 3;

/**
 * Runs a Python agent. If a process ends while it runs several tasks, their episodes run again, each with a new session unless the agent
 * can resume:
 *
 * - If it is not known which task ended the process, each runs once in a process of its own. The one that ends that process too is
 *   rejected, and the others lose only time.
 * - If the process was killed because of one task, the others run again at once.
 */
export class PythonWorkflow<Data = unknown> implements RolloutWorkflow<Data> {
  readonly #shared: RolloutWorkflow<Data>;
  readonly #alone: RolloutWorkflow<Data>;
  /** Tasks that ended a process. Their other episodes run alone from the start. */
  readonly #culprits = new WeakSet<object>();

  constructor(agent: PythonAgent<Data>, options: ProxyWorkflowOptions = {}) {
    this.#shared = new ProxyWorkflow(agent, options);
    const alone: Agent<Data> = {
      run: (data, context) => agent.runAlone(data, context),
      get resume() {
        if (!agent.resume) return undefined;
        return (data: Data, transcript: EpisodeTranscript, context: AgentContext) =>
          agent.runAlone(data, context, transcript);
      },
    };
    this.#alone = new ProxyWorkflow(alone, options);
  }

  get canResume(): boolean {
    return this.#shared.canResume ?? false;
  }

  async arunEpisode(engine: RolloutEngine, data: Data, options: EpisodeOptions = {}): Promise<EpisodeResult> {
    // An episode that runs again has not failed.
    const failureReward: EpisodeOptions["failureReward"] = (reason) =>
      findCulprit(reason.cause) === undefined ? options.failureReward?.(reason) : undefined;
    const { cutSessions = new CutSessions() } = options;
    const keepsCut: EpisodeOptions["keepsCut"] = (reason) =>
      findCulprit(reason.cause) !== undefined || (options.keepsCut?.(reason) ?? false);
    const task = typeof data === "object" && data !== null ? data : undefined;
    for (let losses = 1; !(task && this.#culprits.has(task)); losses++) {
      const result = await this.#shared.arunEpisode(engine, data, { ...options, failureReward, cutSessions, keepsCut });
      const culprit = findCulprit(readCause(result));
      if (culprit === undefined || options.signal?.aborted) return result;
      if (!cutSessions.has(result.rejected[0]?.sessionId)) await freeSession(engine, result, options);
      if (culprit === "unknown" || losses === MAX_LOSSES) break;
    }
    const result = await this.#alone.arunEpisode(engine, data, { ...options, cutSessions });
    const cause = readCause(result);
    if (task && cause instanceof SubprocError && cause.code === "worker_exited") this.#culprits.add(task);
    return result;
  }
}

const readCause = ({ rejected }: EpisodeResult): unknown => rejected[0]?.reason.cause;

/** Deletes the session of an episode that runs again. If the proxy does not answer, it frees the session when it expires. */
async function freeSession(
  engine: RolloutEngine,
  { rejected }: EpisodeResult,
  { rejectedSessions }: EpisodeOptions,
): Promise<void> {
  const id = rejected[0]?.sessionId;
  if (id === undefined || rejectedSessions !== "keep") return;
  await new AdminClient(new HttpTransport(engine.url, engine.connections), engine.adminKey)
    .deleteSession(id)
    .catch(() => {});
}
