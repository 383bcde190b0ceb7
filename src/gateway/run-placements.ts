import type { FastifyReply, FastifyRequest } from "fastify";
import { isLater, NEVER_SET } from "../admin-api/weight-version.js";
import { disconnectSignal, onResponseClose } from "../http/disconnect.js";
import { readKeys } from "../http/read-keys.js";
import { RUN_WORKER_HEADER, readSessionName, SESSION_ID_HEADER } from "../http/session-name.js";
import { isRunKey } from "../session/run-keys.js";
import { hashText } from "../support/hash-text.js";
import { callWorker } from "./contact/call-worker.js";
import type { GatewayContext } from "./context.js";
import { readWorkerError } from "./export/refusal.js";
import { noWorkerError, workerUnavailableError } from "./forward.js";
import { readTarget } from "./request-target.js";
import type { WorkerReply } from "./worker-connections.js";
import type { Worker } from "./worker-pool.js";

const PATH = "/rl/current_session";
const NOT_FOUND = 404;
/** Answers that say that the worker does not have the session, or has no slot for it. */
const UNPLACED: ReadonlySet<number> = new Set([NOT_FOUND, 429]);
/** Number of sessions whose worker is remembered. The worker of another one is asked for again. */
const MAX_REMEMBERED = 100_000;

/** A session of a run, as the keys of a call name it. */
interface NamedSession {
  readonly runKey: string;
  readonly name: string;
  /** A digest of both. */
  readonly id: string;
}

/**
 * Finds the workers of calls with a run key, which names no worker. A session stays on the worker that started it. This gateway remembers
 * it, and another gateway asks the workers.
 */
export class RunPlacements {
  readonly #context: GatewayContext;
  /** Tags of workers by session, in the order of their last use. */
  readonly #tags = new Map<string, string>();
  readonly #placing = new Map<string, Promise<string | undefined>>();

  constructor(context: GatewayContext) {
    this.#context = context;
  }

  /**
   * Returns the worker of a call with a run key. If the session does not exist, a model call starts it on a worker with a free slot.
   *
   * @returns undefined if the call has no run key, or names no session; any worker answers it then
   * @throws ApiError if the run key is unknown, no worker has a free slot, or the worker of the session is gone
   */
  async find(request: FastifyRequest, reply: FastifyReply): Promise<Worker | undefined> {
    const runKey = readKeys(request).find(isRunKey);
    const name = runKey === undefined ? undefined : readSessionName(request);
    if (runKey === undefined || name === undefined) return undefined;
    const session = { runKey, name, id: hashText(`${runKey} ${name}`) };
    const tag = this.#tags.get(session.id) ?? (await this.#placeOnce(session, startsSession(request)));
    if (tag === undefined) return undefined;
    this.#remember(session.id, tag);
    onResponseClose(reply, () => {
      // The next call looks for a place again.
      if (UNPLACED.has(reply.raw.statusCode)) this.#tags.delete(session.id);
    });
    const worker = await this.#context.pool.locate(tag, () => {
      reply.holdBody();
      return disconnectSignal(reply);
    });
    if (!worker) throw workerUnavailableError(tag);
    // HAProxy in front of the gateway sends later calls of the session to this worker.
    void reply.header(RUN_WORKER_HEADER, tag);
    return worker;
  }

  #remember(id: string, tag: string): void {
    this.#tags.delete(id);
    this.#tags.set(id, tag);
    const [oldest] = this.#tags.keys();
    if (this.#tags.size > MAX_REMEMBERED && oldest !== undefined) this.#tags.delete(oldest);
  }

  /** Calls that arrive meanwhile share the search, so that concurrent first calls start one session. */
  #placeOnce(session: NamedSession, starts: boolean): Promise<string | undefined> {
    const key = `${session.id} ${starts}`;
    const running = this.#placing.get(key);
    if (running) return running;
    const placing = this.#place(session, starts).finally(() => this.#placing.delete(key));
    this.#placing.set(key, placing);
    return placing;
  }

  async #place(session: NamedSession, starts: boolean): Promise<string | undefined> {
    const { pool } = this.#context;
    if (pool.living().length === 0) await pool.refresh();
    const [first, ...others] = rank(pool.living(), session);
    if (!first) throw noWorkerError();
    // One worker is enough to refuse an unknown key.
    if (await this.#has(first, session)) return first.tag;
    const found = await Promise.all(
      others.map(async (worker) => ((await this.#has(worker, session)) ? [worker.tag] : [])),
    );
    const [tag] = found.flat();
    return tag ?? (starts ? this.#start(session) : undefined);
  }

  async #has(worker: Worker, session: NamedSession): Promise<boolean> {
    const reply = await this.#call(worker, session, "GET");
    if (!reply || reply.status === NOT_FOUND) return false;
    if (reply.status >= 300) throw readWorkerError(reply);
    return true;
  }

  async #start(session: NamedSession): Promise<string> {
    const { pool } = this.#context;
    const ready = rank(pool.ready(), session);
    // The tokens of a session that starts must not get an older version than the current one.
    const current = ready.filter(({ weightVersion = NEVER_SET }) => !isLater(pool.newestVersion, weightVersion));
    const candidates = current.length > 0 ? current : ready;
    const byRoom = [...candidates].sort((a, b) => Number(b.capacity > 0) - Number(a.capacity > 0));
    let refusal: WorkerReply | undefined;
    for (const worker of byRoom) {
      const reply = await this.#call(worker, session, "POST");
      if (!reply) continue;
      if (reply.status < 300) {
        worker.capacity--;
        worker.sessions++;
        return worker.tag;
      }
      if (reply.status !== 429 && reply.status !== 503) throw readWorkerError(reply);
      if (reply.status === 429) worker.capacity = 0;
      refusal = reply;
    }
    throw refusal ? readWorkerError(refusal) : noWorkerError();
  }

  #call(worker: Worker, { runKey, name }: NamedSession, method: "GET" | "POST"): Promise<WorkerReply | undefined> {
    const { upstream, controlMilliseconds } = this.#context;
    const headers = { authorization: `Bearer ${runKey}`, [SESSION_ID_HEADER.toLowerCase()]: name };
    const call = method === "GET" ? { method, path: PATH, headers } : { path: PATH, headers, body: {} };
    return callWorker(upstream, worker, call, controlMilliseconds);
  }
}

/** Rewards, ends and reads are about sessions that exist. */
function startsSession(request: FastifyRequest): boolean {
  const path = readTarget(request).split("?", 1)[0] ?? "";
  return request.method === "POST" && (!/^\/+rl\//.test(path) || path === PATH);
}

/** Returns the workers in an order that depends on the session only, so that several gateways begin with the same worker. */
function rank(workers: readonly Worker[], { id }: NamedSession): Worker[] {
  const digest = ({ tag }: Worker) => hashText(`${id} ${tag}`);
  return [...workers].sort((a, b) => (digest(a) < digest(b) ? -1 : 1));
}
