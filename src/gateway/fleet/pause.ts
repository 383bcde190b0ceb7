import type { ApiError } from "../../http/errors.js";
import type { GatewayContext } from "../context.js";
import { ANSWER_TIMEOUT_MS, type Fleet, type Member, readFleet, requireFleet } from "./fleet.js";
import { type ServerUse, usesByServer } from "./merge-engines.js";
import { failureOf, isDone, WorkerCalls, type WorkerOutcome } from "./worker-calls.js";

const PAUSE = "/rl/engine/pause";
const RESUME = "/rl/engine/resume";
/** A server's pause returns when its last running generation was cut; workers wait a minute for that. */
const TELL_TIMEOUT_MS = 75_000;

type Headers = Readonly<Record<string, string>>;

/** Pauses and resumes the engines of all workers, one request for it after the other. Each server is told once. */
export class EnginePause {
  readonly #context: GatewayContext;
  #last: Promise<unknown> = Promise.resolve();

  constructor(context: GatewayContext) {
    this.#context = context;
  }

  /**
   * Pauses every engine server behind the gateway, and the calls of every worker, those included that join meanwhile.
   *
   * @throws ApiError that names the worker that cannot do it; then nothing is paused.
   */
  pause(mode: "abort" | "keep", headers: Headers): Promise<Fleet> {
    return this.#inTurn(() => this.#pause(mode, headers));
  }

  /**
   * Resumes every engine server and the calls of every worker.
   *
   * @throws ApiError that names a worker that cannot be resumed, or whose server cannot; all others were resumed.
   */
  resume(headers: Headers): Promise<Fleet> {
    return this.#inTurn(async () => {
      const { silent, members } = await readFleet(this.#context, headers);
      const calls = new WorkerCalls(this.#context, headers);
      const outcomes = await this.#resume(calls, members);
      const unheard = silent.map((worker): WorkerOutcome => {
        return { member: { worker, type: "", paused: null, servers: [] }, reply: undefined };
      });
      throwIf(failureOf([...outcomes, ...unheard], "All other workers are resumed; repeat the call."));
      return requireFleet(this.#context, headers);
    });
  }

  /** A resume that overtook a pause would leave part of the workers paused. */
  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#last.then(task);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #pause(mode: "abort" | "keep", headers: Headers): Promise<Fleet> {
    const calls = new WorkerCalls(this.#context, headers);
    const paused = new Map<string, Member>();
    const told = new Set<string>();
    for (;;) {
      const fleet = await this.#fleetOrUndo(calls, headers, paused);
      const joined = fleet.members.filter(({ worker }) => !paused.has(worker.tag));
      if (joined.length === 0) return fleet;
      for (const member of joined) paused.set(member.worker.tag, member);
      const failure = await this.#pauseMembers(calls, mode, joined, told);
      if (!failure) continue;
      await this.#resume(calls, [...paused.values()]);
      throw failure;
    }
  }

  /** A worker may die between two looks: then the pause has failed, too. */
  async #fleetOrUndo(calls: WorkerCalls, headers: Headers, paused: ReadonlyMap<string, Member>): Promise<Fleet> {
    try {
      return await requireFleet(this.#context, headers);
    } catch (error) {
      if (paused.size > 0) await this.#resume(calls, [...paused.values()]);
      throw error;
    }
  }

  /**
   * Holds the calls of all workers first: a worker that does not hold them would send cut generations to a paused server.
   * Then one worker of each server pauses it.
   *
   * @param told identities of servers that are paused; this adds to them.
   */
  async #pauseMembers(
    calls: WorkerCalls,
    mode: "abort" | "keep",
    members: readonly Member[],
    told: Set<string>,
  ): Promise<ApiError | undefined> {
    const rest = "No engine server is paused.";
    const held = await calls.call(
      PAUSE,
      members.map((member) => ({ member, body: { mode, servers: [] } })),
      ANSWER_TIMEOUT_MS,
    );
    const refused = failureOf(held, rest);
    if (refused) return refused;
    const untold = [...usesByServer(members)].filter(([identity]) => !told.has(identity));
    const tellers = groupByMember(untold.flatMap(([, uses]) => uses.slice(0, 1)));
    const outcomes = await calls.call(
      PAUSE,
      [...tellers].map(([member, servers]) => ({ member, body: { mode, servers } })),
      TELL_TIMEOUT_MS,
    );
    for (const [identity] of untold) told.add(identity);
    return failureOf(outcomes, rest);
  }

  /**
   * Resumes the servers first and then lets the calls go on, so that none is sent to a server that is still paused. A
   * server that one worker cannot resume is given to the next one that uses it.
   *
   * @returns what failed in the end
   */
  async #resume(calls: WorkerCalls, members: readonly Member[]): Promise<WorkerOutcome[]> {
    const failed: WorkerOutcome[] = [];
    let pending = [...usesByServer(members).values()];
    while (pending.length > 0) {
      const tellers = groupByMember(pending.flatMap((uses) => uses.slice(0, 1)));
      const outcomes = await calls.call(
        RESUME,
        [...tellers].map(([member, servers]) => ({ member, body: { servers, hold: true } })),
        TELL_TIMEOUT_MS,
      );
      const failures = new Map(outcomes.filter((outcome) => !isDone(outcome)).map((each) => [each.member, each]));
      const left = pending.flatMap(([first, ...others]) => {
        const failure = first && failures.get(first.member);
        return failure ? [{ failure, others }] : [];
      });
      failed.push(...left.flatMap(({ failure, others }) => (others.length === 0 ? [failure] : [])));
      pending = left.flatMap(({ others }) => (others.length > 0 ? [others] : []));
    }
    const opened = await calls.call(
      RESUME,
      members.map((member) => ({ member, body: { servers: [] } })),
      ANSWER_TIMEOUT_MS,
    );
    return [...failed, ...opened.filter((outcome) => !isDone(outcome))];
  }
}

/** Returns which of its servers each worker tells, in its own spelling. */
function groupByMember(uses: readonly ServerUse[]): Map<Member, string[]> {
  const groups = new Map<Member, string[]>();
  for (const { member, record } of uses) groups.set(member, [...(groups.get(member) ?? []), record.url]);
  return groups;
}

function throwIf(failure: ApiError | undefined): void {
  if (failure) throw failure;
}
