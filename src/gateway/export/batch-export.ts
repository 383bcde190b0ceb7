import { EXPORT_ID } from "../../control/batch-request.js";
import { ApiError } from "../../http/errors.js";
import { callWorker } from "../contact/call-worker.js";
import { type MergedBatch, type MergeOptions, mergeParts } from "../merge/merge-parts.js";
import { readPart } from "../merge/part.js";
import type { Upstream, UpstreamReply } from "../upstream.js";
import type { Worker, WorkerPool } from "../worker-pool.js";
import { mergeRefusals, type PartRefusal } from "./refusal.js";

/** A worker and those sessions of the batch that it has. */
export interface WorkerShare {
  /** Replaced when the worker returns at another address. */
  worker: Worker;
  readonly sessionIds: readonly string[];
}

export interface BatchExportOptions {
  readonly pool: WorkerPool;
  readonly upstream: Upstream;
  readonly shares: readonly WorkerShare[];
  /** The client's key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** The lease of every part of a batch that the client wants to acknowledge. */
export interface BatchLease {
  readonly export_id: string;
  readonly lease_seconds: number;
}

interface ShareReply {
  readonly share: WorkerShare;
  /** Undefined if the worker did not answer. */
  readonly reply: UpstreamReply | undefined;
}

type Settlement = { readonly outcome: "taken" | "left" } | ({ readonly outcome: "held" } & BatchLease);

/** How long a worker keeps its prepared part. Its sessions accept no rewards during this time. */
const HOLD_SECONDS = 60;

const NOT_FOUND = 404;
const CONFLICT = 409;

/** How often a worker is asked at most to wait for its sessions. It is asked again each time it leaves and returns. */
const MAX_WAITS = 3;

/**
 * Exports one batch over several workers, in three steps:
 *
 * 1. Every worker waits until its sessions can be exported.
 * 2. Every worker packs its part and holds it.
 * 3. If all parts arrived and fit together, every worker marks its sessions as exported. If the batch has a lease, it keeps them
 *    until the batch is acknowledged.
 *
 * If a step fails, no session is exported. A worker that receives no further call drops its part after {@link HOLD_SECONDS}.
 *
 * A worker that dies in the third step may return with its sessions. It has dropped its part then, and does steps 2 and 3 again.
 */
export class BatchExport {
  readonly #options: BatchExportOptions;

  constructor(options: BatchExportOptions) {
    this.#options = options;
  }

  /**
   * Waits until every session can be exported. If a worker leaves, waits for its return. If it does not return, stops waiting for
   * the others.
   *
   * @throws {@link ApiError} that names each session that cannot be exported
   */
  async waitUntilReady(waits: object): Promise<void> {
    const lost = new AbortController();
    const waiting = AbortSignal.any([this.#options.signal, lost.signal]);
    const replies = await this.#callAll(
      "/export_batch/ready",
      waits,
      waiting,
      () => lost.abort(),
      this.#repeat.bind(this),
    );
    this.#options.signal.throwIfAborted();
    throwRefusals(replies);
  }

  /**
   * Returns the batch once every worker has marked its sessions as exported.
   *
   * @param sessionIds all sessions in the order of the batch
   * @param request options of the parts
   * @param lease absent if the client does not acknowledge the batch
   */
  async collect(
    sessionIds: readonly string[],
    request: object,
    options: MergeOptions,
    lease?: BatchLease,
  ): Promise<MergedBatch> {
    const body = { ...request, hold_seconds: HOLD_SECONDS };
    const prepared = await this.#callAll("/export_batch/prepare", body, this.#options.signal);
    let settlement: Settlement = { outcome: "left" };
    try {
      // Checked inside the try block, so that `finally` tells the workers to drop their prepared parts.
      this.#options.signal.throwIfAborted();
      throwRefusals(prepared);
      const parts = prepared.map(({ reply }) => readPart(reply?.body ?? new Uint8Array()));
      const batch = mergeParts(parts, sessionIds, options);
      this.#options.signal.throwIfAborted();
      settlement = lease ? { outcome: "held", ...lease } : { outcome: "taken" };
      return batch;
    } finally {
      const settled = await Promise.all(prepared.map((part) => this.#settle(part, settlement, body)));
      if (settlement.outcome !== "left") throwUnsettled(settled);
    }
  }

  /** Ends the lease of a batch that the client did not receive. On a worker that does not answer, the lease ends by its time. */
  async withdraw({ export_id: id }: BatchLease): Promise<void> {
    const { shares } = this.#options;
    await Promise.all(shares.map((share) => this.#call(share, `/export_batch/${id}/settle`, { outcome: "left" })));
  }

  /**
   * Calls every worker that has sessions of the batch.
   *
   * @param onSilent called for each worker that does not answer
   * @returns the replies, except those of calls that `signal` aborted
   */
  async #callAll(
    path: string,
    body: object,
    signal: AbortSignal,
    onSilent = () => {},
    call = this.#call.bind(this),
  ): Promise<ShareReply[]> {
    const replies = this.#options.shares.map(async (share): Promise<ShareReply[]> => {
      const shareBody = { ...body, session_ids: share.sessionIds };
      const reply = await call(share, path, shareBody, signal);
      if (!reply && signal.aborted && !share.worker.contact.isUnreachable) return [];
      if (!reply) onSilent();
      return [{ share, reply }];
    });
    return (await Promise.all(replies)).flat();
  }

  /**
   * Settles the part of a worker. A worker that leaves and returns has dropped its part, so it prepares the part again.
   *
   * @returns undefined if the worker prepared nothing, did not return, or returned without its sessions. The batch then has their
   *   only copy.
   */
  async #settle(
    { share, reply }: ShareReply,
    settlement: Settlement,
    request: object,
  ): Promise<UpstreamReply | undefined> {
    let id = reply?.headers[EXPORT_ID];
    for (let calls = 1; id !== undefined; calls++) {
      const settled = await this.#call(share, `/export_batch/${String(id)}/settle`, settlement);
      if (settled || settlement.outcome === "left" || calls === MAX_WAITS) return settled;
      if (!(await this.#returns(share))) return undefined;
      const again = await this.#call(share, "/export_batch/prepare", { ...request, session_ids: share.sessionIds });
      id = again?.headers[EXPORT_ID];
      if (!again || again.status === NOT_FOUND) return undefined;
      if (id === undefined) return again;
      if (reply?.body.equals(again.body)) continue;
      // The sessions changed after the batch was packed.
      await this.#call(share, `/export_batch/${String(id)}/settle`, { outcome: "left" });
      return { ...again, status: CONFLICT };
    }
    return undefined;
  }

  /** Waits for a worker that left. Returns true if it is there again. */
  async #returns(share: WorkerShare): Promise<boolean> {
    const { pool, signal } = this.#options;
    const returned = await pool.whenReturned(share.worker, signal);
    if (!returned) return false;
    share.worker = returned;
    return true;
  }

  /** Calls a worker. If the worker leaves, calls it again once it has returned. Only for calls that change nothing. */
  async #repeat(
    share: WorkerShare,
    path: string,
    body: object,
    signal: AbortSignal,
  ): Promise<UpstreamReply | undefined> {
    for (let calls = 1; ; calls++) {
      const reply = await this.#call(share, path, body, signal);
      if (reply || signal.aborted || calls === MAX_WAITS) return reply;
      if (!(await this.#returns(share))) return undefined;
    }
  }

  async #call(
    { worker }: WorkerShare,
    path: string,
    body: object,
    signal?: AbortSignal,
  ): Promise<UpstreamReply | undefined> {
    const { upstream, headers } = this.#options;
    const reply = await callWorker(upstream, worker, { path, headers, body, ...(signal ? { signal } : {}) });
    if (!reply && !signal?.aborted) worker.state = "down";
    return reply;
  }
}

function throwRefusals(replies: readonly ShareReply[]): void {
  const refusals = replies.flatMap(({ share, reply }): PartRefusal[] =>
    reply && reply.status < 300 ? [] : [{ sessionIds: share.sessionIds, reply }],
  );
  if (refusals.length > 0) throw mergeRefusals(refusals);
}

/** @throws ApiError if a worker dropped its part, and its sessions may have changed since */
function throwUnsettled(settled: readonly (UpstreamReply | undefined)[]): void {
  if (settled.every((reply) => reply === undefined || reply.status < 300)) return;
  const message =
    `A worker dropped its part of the batch, because the other parts took longer than ${HOLD_SECONDS} s or the worker restarted. No ` +
    "data is lost: export the batch again.";
  throw new ApiError("batch_not_exportable", message, { param: "session_ids" });
}
