import type { ApiError } from "../../http/errors.js";
import type { GatewayContext } from "../context.js";
import { type Fleet, type FleetMember, type ModelSelection, readFleet, requireFleet } from "./fleet.js";
import { groupByServer, type ServerUse } from "./merge-engines.js";
import { findFailure, isSuccess, WorkerCalls, type WorkerOutcome } from "./worker-calls.js";

const PAUSE = "/rl/engine/pause";
const RESUME = "/rl/engine/resume";
/** The pause of a server returns when its last running generation was cut. Workers wait up to a minute for that. */
const PAUSE_TIMEOUT_MS = 75_000;

/** The client's key, and the models whose engines it pauses. */
export interface PauseTarget extends ModelSelection {
  readonly headers: Readonly<Record<string, string>>;
}

const modelBody = ({ model }: PauseTarget) => (model === undefined ? {} : { model });

/** Pauses and resumes the engines of all workers. Requests run one after the other, and each server is called once. */
export class EnginePause {
  readonly #context: GatewayContext;
  #last: Promise<unknown> = Promise.resolve();

  constructor(context: GatewayContext) {
    this.#context = context;
  }

  /**
   * Pauses every engine server behind the gateway and the model calls of every worker, including workers that join meanwhile.
   *
   * @param target the key of the client, and the model that its call names
   * @throws ApiError that names the worker that failed; nothing is paused then
   */
  pause(mode: "abort" | "keep", target: PauseTarget): Promise<Fleet> {
    return this.#inTurn(() => this.#pause(mode, target));
  }

  /**
   * Resumes every engine server and the model calls of every worker.
   *
   * @throws ApiError that names a worker that could not be resumed, or whose server could not; all others are resumed then
   */
  resume(target: PauseTarget): Promise<Fleet> {
    return this.#inTurn(async () => {
      const { headers } = target;
      const { silent, members } = await readFleet(this.#context, headers, target);
      const calls = new WorkerCalls(this.#context, headers, modelBody(target));
      const outcomes = await this.#resume(calls, members);
      const missing = silent.map((worker): WorkerOutcome => {
        return { member: { worker, type: "", paused: null, labels: {}, servers: [] }, reply: undefined };
      });
      const failure = findFailure([...outcomes, ...missing], "All other workers are resumed; repeat the call.");
      if (failure) throw failure;
      return requireFleet(this.#context, headers, target);
    });
  }

  /** Runs tasks one after the other. A resume that overtook a pause would leave some workers paused. */
  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #pause(mode: "abort" | "keep", target: PauseTarget): Promise<Fleet> {
    const calls = new WorkerCalls(this.#context, target.headers, modelBody(target));
    const paused = new Map<string, FleetMember>();
    const pausedServers = new Set<string>();
    // Repeats until no new worker has joined since the last round.
    for (;;) {
      const fleet = await this.#readFleetOrUndo(calls, target, paused);
      const joined = fleet.members.filter(({ worker }) => !paused.has(worker.tag));
      if (joined.length === 0) return fleet;
      for (const member of joined) paused.set(member.worker.tag, member);
      const failure = await this.#pauseMembers(calls, mode, joined, pausedServers);
      if (!failure) continue;
      await this.#resume(calls, [...paused.values()]);
      throw failure;
    }
  }

  /** Reads the fleet. If a worker died since the last round, the pause has failed and is undone. */
  async #readFleetOrUndo(
    calls: WorkerCalls,
    target: PauseTarget,
    paused: ReadonlyMap<string, FleetMember>,
  ): Promise<Fleet> {
    try {
      return await requireFleet(this.#context, target.headers, target);
    } catch (error) {
      if (paused.size > 0) await this.#resume(calls, [...paused.values()]);
      throw error;
    }
  }

  /**
   * First makes all workers hold their model calls, because a worker that does not would send interrupted generations to a
   * paused server. Then one worker of each server pauses it.
   *
   * @param pausedServers identities of servers that are paused already; this method adds to them
   */
  async #pauseMembers(
    calls: WorkerCalls,
    mode: "abort" | "keep",
    members: readonly FleetMember[],
    pausedServers: Set<string>,
  ): Promise<ApiError | undefined> {
    const otherWorkers = "No engine server is paused.";
    const holds = await calls.call(
      PAUSE,
      members.map((member) => ({ member, body: { mode, servers: [] } })),
      this.#context.controlMilliseconds,
    );
    const holdFailure = findFailure(holds, otherWorkers);
    if (holdFailure) return holdFailure;
    const running = [...groupByServer(members)].filter(([identity]) => !pausedServers.has(identity));
    const serversByWorker = groupByMember(running.flatMap(([, uses]) => uses.slice(0, 1)));
    const pauses = await calls.call(
      PAUSE,
      [...serversByWorker].map(([member, servers]) => ({ member, body: { mode, servers } })),
      PAUSE_TIMEOUT_MS,
    );
    for (const [identity] of running) pausedServers.add(identity);
    return findFailure(pauses, otherWorkers);
  }

  /**
   * First resumes the servers and then the model calls, so that no call is sent to a server that is still paused. If a worker
   * cannot resume a server, the next worker that uses the server tries.
   *
   * @returns the calls that failed, except those for servers that another worker resumed
   */
  async #resume(calls: WorkerCalls, members: readonly FleetMember[]): Promise<WorkerOutcome[]> {
    const failed: WorkerOutcome[] = [];
    let pending = [...groupByServer(members).values()];
    while (pending.length > 0) {
      const serversByWorker = groupByMember(pending.flatMap((uses) => uses.slice(0, 1)));
      const outcomes = await calls.call(
        RESUME,
        [...serversByWorker].map(([member, servers]) => ({ member, body: { servers, hold: true } })),
        PAUSE_TIMEOUT_MS,
      );
      const failures = new Map(
        outcomes.filter((outcome) => !isSuccess(outcome)).map((outcome) => [outcome.member, outcome]),
      );
      const remaining = pending.flatMap(([first, ...others]) => {
        const failure = first && failures.get(first.member);
        return failure ? [{ failure, others }] : [];
      });
      failed.push(...remaining.flatMap(({ failure, others }) => (others.length === 0 ? [failure] : [])));
      pending = remaining.flatMap(({ others }) => (others.length > 0 ? [others] : []));
    }
    const releases = await calls.call(
      RESUME,
      members.map((member) => ({ member, body: { servers: [] } })),
      this.#context.controlMilliseconds,
    );
    return [...failed, ...releases.filter((outcome) => !isSuccess(outcome))];
  }
}

/** Returns the servers that each worker is to call, in the worker's own spelling. */
function groupByMember(uses: readonly ServerUse[]): Map<FleetMember, string[]> {
  const groups = new Map<FleetMember, string[]>();
  for (const { member, record } of uses) groups.set(member, [...(groups.get(member) ?? []), record.url]);
  return groups;
}
