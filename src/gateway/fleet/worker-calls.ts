import type { ApiError } from "../../http/errors.js";
import { callWorker } from "../contact/call-worker.js";
import type { GatewayContext } from "../context.js";
import type { WorkerReply } from "../worker-connections.js";
import { workerRefusedError, workerSilentError } from "./failures.js";
import type { FleetMember } from "./fleet.js";

/** A call to one worker. */
export interface WorkerCall {
  readonly member: FleetMember;
  readonly body: object;
}

/** The result of a call. `reply` is undefined if the worker did not answer. */
export interface WorkerOutcome {
  readonly member: FleetMember;
  readonly reply: WorkerReply | undefined;
}

/** Calls several workers at the same time, on behalf of one client. A worker that does not answer in time is marked `down`. */
export class WorkerCalls {
  readonly #context: GatewayContext;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fields: object;

  /**
   * @param headers the client's key
   * @param fields added to each body
   */
  constructor(context: GatewayContext, headers: Readonly<Record<string, string>>, fields: object = {}) {
    this.#fields = fields;
    this.#context = context;
    this.#headers = headers;
  }

  call(path: string, calls: readonly WorkerCall[], milliseconds: number): Promise<WorkerOutcome[]> {
    return Promise.all(
      calls.map(async ({ member, body }) => {
        const call = { path, headers: this.#headers, body: { ...this.#fields, ...body } };
        const reply = await callWorker(this.#context.upstream, member.worker, call, milliseconds);
        if (!reply) member.worker.state = "down";
        return { member, reply };
      }),
    );
  }
}

export function isSuccess({ reply }: WorkerOutcome): boolean {
  return reply !== undefined && reply.status < 300;
}

/**
 * Returns the error of a failed call; undefined if all succeeded. A worker's error is preferred to a missing answer, because
 * it says more.
 *
 * @param otherWorkers sentence for the error message about the state of the other workers
 */
export function findFailure(outcomes: readonly WorkerOutcome[], otherWorkers: string): ApiError | undefined {
  const failed = outcomes.filter((outcome) => !isSuccess(outcome));
  const first = failed.find(({ reply }) => reply !== undefined) ?? failed[0];
  if (!first) return undefined;
  const { member, reply } = first;
  return reply
    ? workerRefusedError(member.worker, reply, otherWorkers)
    : workerSilentError(member.worker, otherWorkers);
}
