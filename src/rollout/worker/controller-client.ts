import type { z } from "zod";
import type { ConnectionPool } from "../../client/connection-pool.js";
import { ProxyError } from "../../client/errors.js";
import { ProxyCalls } from "../../client/proxy-calls.js";
import { HttpTransport } from "../../client/transport.js";
import { backoffMilliseconds } from "../../support/async/backoff.js";
import { sleep } from "../../support/async/sleep.js";
import {
  type JobSettings,
  LEASE_PATHS,
  leasesReply,
  lostReply,
  type RolloutStatus,
  returnsReply,
  statusReply,
  type Updates,
  updatesReply,
  type WireReport,
  type WireSession,
  workerReply,
} from "../lease/protocol.js";
import { RolloutWorkerError } from "./errors.js";

export interface ControllerClientOptions {
  /** Returns the controller's address, which may be another one after a restart; undefined if it is not known yet. */
  readonly locate: () => Promise<string | undefined>;
  readonly adminKey: string;
  readonly connections: ConnectionPool;
  /** Time for which a controller that does not answer is called again. */
  readonly patienceSeconds: number;
  /** Is called when the controller stops answering, and with undefined when it answers again. */
  readonly onTrouble?: ((why: string | undefined) => void) | undefined;
}

/** The leases that a worker knows. */
export interface HeldLeases {
  readonly read: () => readonly string[];
  /** The first call tells them, too. */
  readonly isTold: boolean;
}

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Time for which the call may wait. */
  readonly seconds?: number;
  /** Returns the body of a call that is sent again. Default: the same body. */
  readonly repeated?: () => object;
}

const PAUSES = { firstMilliseconds: 100, longestMilliseconds: 5_000 };
/** Pause before the address is looked up again, which asks nobody. */
const LOOKUP_MS = 200;
/** Time in which an answer must come, in addition to the time for which the call may wait. */
const ANSWER_SECONDS = 30;
const TOO_MANY = 429;
const SERVER_ERROR = 500;

/** A rollout worker's calls to its controller. Each is repeated until the controller answers or is given up. */
export class ControllerClient {
  readonly #options: ControllerClientOptions;
  /** Since when the controller does not answer; undefined if it does. */
  #silentSince: number | undefined = performance.now();
  #isTroubled = false;

  constructor(options: ControllerClientOptions) {
    this.#options = options;
  }

  /** Registers the worker. Returns what it must know about the job. */
  register(
    workerId: string,
    name: string,
    { replace = false, signal }: { readonly replace?: boolean | undefined; readonly signal?: AbortSignal } = {},
  ): Promise<JobSettings> {
    return this.#call(LEASE_PATHS.workers, { worker_id: workerId, name, replace }, workerReply, { signal });
  }

  /** Waits for tasks. A repeated call tells which leases the worker knows, because the answer to the first one may be lost. */
  lease(
    body: {
      readonly worker_id: string;
      readonly count: number;
      readonly max_held: number;
      readonly wait_seconds: number;
      readonly can_resume?: boolean;
    },
    held: HeldLeases,
    signal: AbortSignal,
  ) {
    const repeated = () => ({ ...body, held: held.read() });
    return this.#call(LEASE_PATHS.leases, held.isTold ? repeated() : body, leasesReply, {
      signal,
      seconds: body.wait_seconds,
      repeated,
    });
  }

  /** Announces sessions, reports results and takes tasks. A repeated call tells which leases the worker knows. */
  update(
    body: {
      readonly worker_id: string;
      readonly sessions: readonly WireSession[];
      readonly reports: readonly WireReport[];
      readonly max_held?: number | undefined;
      readonly can_resume?: boolean;
    },
    held: Pick<HeldLeases, "read">,
  ): Promise<Updates> {
    const repeated = () => ({ ...body, held: held.read() });
    return this.#call(LEASE_PATHS.updates, body, updatesReply, { repeated });
  }

  /** Prolongs leases. Returns those that are lost. */
  async heartbeat(workerId: string, leaseIds: readonly string[], signal: AbortSignal): Promise<string[]> {
    const body = { worker_id: workerId, lease_ids: leaseIds };
    return (await this.#call(LEASE_PATHS.heartbeats, body, lostReply, { signal })).lost;
  }

  async giveBack(workerId: string, leaseIds: readonly string[], signal: AbortSignal): Promise<void> {
    await this.#call(LEASE_PATHS.returns, { worker_id: workerId, lease_ids: leaseIds }, returnsReply, { signal });
  }

  /** Returns the state of the job. */
  status(signal: AbortSignal): Promise<RolloutStatus> {
    return this.#call(LEASE_PATHS.status, undefined, statusReply, { signal });
  }

  async #call<Schema extends z.ZodType>(
    path: string,
    body: object | undefined,
    reply: Schema,
    { signal, seconds = 0, repeated }: CallOptions = {},
  ): Promise<z.output<Schema>> {
    for (let earlier = 0; ; earlier++) {
      signal?.throwIfAborted();
      await this.#waitForAddress(path, signal);
      try {
        const sent = earlier === 0 || repeated === undefined ? body : repeated();
        const answer = await this.#send(path, sent, reply, { signal, timeoutSeconds: seconds + ANSWER_SECONDS });
        this.#hear();
        return answer;
      } catch (error) {
        signal?.throwIfAborted();
        this.#assertWorthWaiting(path, error);
        await sleep(backoffMilliseconds(earlier, PAUSES) * (0.5 + Math.random()), signal);
      }
    }
  }

  async #send<Schema extends z.ZodType>(
    path: string,
    body: object | undefined,
    reply: Schema,
    options: { readonly signal?: AbortSignal | undefined; readonly timeoutSeconds: number },
  ): Promise<z.output<Schema>> {
    const { locate, connections, adminKey } = this.#options;
    const url = await locate();
    if (url === undefined) throw new ProxyError("connection_failed", "The controller has removed its address.");
    const calls = new ProxyCalls(new HttpTransport(url, connections), adminKey);
    const method = body === undefined ? "GET" : "POST";
    return calls.json({ method, path, body, idempotent: false, ...options }, reply);
  }

  async #waitForAddress(path: string, signal: AbortSignal | undefined): Promise<void> {
    while ((await this.#options.locate()) === undefined) {
      this.#assertWorthWaiting(path, new ProxyError("connection_failed", "The controller's address is not known yet."));
      await sleep(LOOKUP_MS, signal);
    }
  }

  #hear(): void {
    this.#silentSince = undefined;
    if (this.#isTroubled) this.#options.onTrouble?.(undefined);
    this.#isTroubled = false;
  }

  /** @throws RolloutWorkerError if the call need not be repeated */
  #assertWorthWaiting(path: string, error: unknown): void {
    if (!(error instanceof ProxyError)) throw error;
    const { status = SERVER_ERROR, code } = error;
    if (code === "rollout_worker_not_found") throw error;
    const isAnswer = error.status !== undefined && code !== "invalid_reply";
    if (isAnswer && status < SERVER_ERROR && status !== TOO_MANY) {
      const message = `The controller refused ${path}: ${error.message}`;
      throw new RolloutWorkerError("controller_refused", message, { cause: error });
    }
    const now = performance.now();
    this.#silentSince ??= now;
    if (!this.#isTroubled) this.#options.onTrouble?.(error.message);
    this.#isTroubled = true;
    const { patienceSeconds } = this.#options;
    if (now - this.#silentSince < patienceSeconds * 1000) return;
    const message = `The controller did not answer for ${patienceSeconds} s: ${error.message}`;
    throw new RolloutWorkerError("controller_unreachable", message, { cause: error });
  }
}
