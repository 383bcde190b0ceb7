import { createHash } from "node:crypto";
import type { PackedExport } from "../../admin-api/batch-answer.js";
import { EXPORT_ID } from "../../admin-api/batch-request.js";
import { ApiError } from "../../http/errors.js";
import type { BatchOrigin } from "../../session/batch/batch-metadata.js";
import { mergeOrigins } from "../../session/batch/merge-origins.js";
import type { ExportedShard } from "../../session/export/retention.js";
import type { Session } from "../../session/session.js";
import { type FileSession, readSessions } from "../../session/stored/file/read-sessions.js";
import { callWorker } from "../contact/call-worker.js";
import type { WorkerConnections, WorkerReply } from "../worker-connections.js";
import type { WorkerPool } from "../worker-pool.js";
import { mergeRefusals, type PartRefusal } from "./refusal.js";
import {
  closeFiles,
  fileName,
  openFiles,
  refuseErrors,
  toFileError,
  type WorkerFile,
  type WorkerShare,
  wrongSession,
} from "./worker-file.js";

export interface BatchExportOptions {
  readonly pool: WorkerPool;
  readonly upstream: WorkerConnections;
  readonly shares: readonly WorkerShare[];
  /** The client's key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Packs all sessions in the order of the request. The caller frees them afterwards. */
export type PackSessions = (
  sessions: readonly Session[],
  origin: BatchOrigin | undefined,
) => Promise<readonly PackedExport[]>;

export type Settlement =
  | { readonly outcome: "taken" | "left" }
  | {
      readonly outcome: "held";
      readonly exports: readonly ({ readonly id: string } & ExportedShard)[];
      readonly lease_seconds: number;
    };

/** A worker's file that was read to its end. */
interface RestoredFile {
  readonly sessions: readonly FileSession[];
  /** Digest of the file. Its checksums do not show a changed reward: the CRC-32 of bytes followed by their own CRC-32 is constant. */
  readonly digest: string;
}

interface Sent {
  readonly request: object;
  readonly digest: string | undefined;
}

const DIGEST = "sha256";
const PREPARE = "/export_batch/prepare";
export const LEFT: Settlement = { outcome: "left" };
const TAKEN: Settlement = { outcome: "taken" };

/** How long a worker keeps its sessions as they are for a batch. They accept no rewards during this time. */
export const HOLD_SECONDS = 60;

/**
 * How long workers keep the sessions of a batch that no client acknowledges, until they are told that the batch is complete. Longer than
 * the gateway waits for workers that leave meanwhile.
 */
export const TAKE_SECONDS = 600;

const NOT_FOUND = 404;
const CONFLICT = 409;
/** The worker has marked its sessions as exported, and has freed them since. */
const GONE = 410;

/** Maximum number of times that a step is sent to a worker. It is sent again each time the worker leaves and returns. */
const MAX_CALLS = 3;

/**
 * Exports sessions of several workers in five steps:
 *
 * 1. Every worker waits until its sessions can be exported.
 * 2. Every worker sends the records of its sessions, and keeps the sessions as they are.
 * 3. The gateway restores all sessions and packs them like a server that has recorded them.
 * 4. Every worker marks its sessions as exported, and holds them. If the client acknowledges batches, this is the last step.
 * 5. Otherwise, every worker makes the export final.
 *
 * If one of the steps 1 to 4 fails, no session is exported: a worker that receives no further call drops the export after
 * {@link HOLD_SECONDS}. If only step 5 does not reach a worker, its sessions can be exported a second time after {@link TAKE_SECONDS}.
 *
 * A single worker makes the export final in step 4.
 *
 * A worker that dies in step 4 may return with its sessions. It then does steps 2 and 4 again.
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
   * @returns the answer of each worker
   * @throws {@link ApiError} that names each session that cannot be exported
   */
  async waitUntilReady(waits: object): Promise<readonly WorkerReply[]> {
    const { shares, signal } = this.#options;
    const lost = new AbortController();
    const waiting = AbortSignal.any([signal, lost.signal]);
    const refusals: PartRefusal[] = [];
    const replies = await Promise.all(
      shares.map(async (share): Promise<WorkerReply[]> => {
        const { sessionIds } = share;
        const reply = await this.#repeat(share, "/export_batch/ready", { ...waits, session_ids: sessionIds }, waiting);
        if (reply && reply.status < 300) return [reply];
        // The call was ended, because the client or another worker left.
        if (!reply && waiting.aborted && !share.worker.contact.isUnreachable) return [];
        if (!reply) lost.abort();
        refusals.push({ sessionIds, reply });
        return [];
      }),
    );
    signal.throwIfAborted();
    if (refusals.length > 0) throw mergeRefusals(refusals);
    return replies.flat();
  }

  /**
   * Returns the batches once every worker has marked its sessions as exported.
   *
   * @param sessionIds all sessions in the order of the batch
   * @param fields of the workers' requests: the shard that is exported, and how long to wait for calls in flight
   * @param leaseSeconds time in which the client must acknowledge the batches. Absent: it acknowledges none
   */
  async export(
    sessionIds: readonly string[],
    fields: object,
    pack: PackSessions,
    leaseSeconds?: number,
  ): Promise<readonly PackedExport[]> {
    const request = { ...fields, hold_seconds: HOLD_SECONDS };
    const files = await openFiles(this.#options.shares, { ...this.#options, path: PREPARE, fields: request });
    const { packed, digests } = await this.#pack(files, sessionIds, pack);
    const exports = packed.map(({ id, part }) => ({ id, ...part }));
    const held: Settlement = { outcome: "held", exports, lease_seconds: leaseSeconds ?? TAKE_SECONDS };
    // A single worker exports all sessions or none.
    const isFinal = leaseSeconds === undefined && files.length === 1;
    const settled = await Promise.all(
      files.map((file, index) => this.#settle(file, isFinal ? TAKEN : held, { request, digest: digests[index] })),
    );
    const ids = packed.map(({ id }) => id);
    if (settled.every((reply) => reply === undefined || reply.status < 300)) {
      if (leaseSeconds === undefined && !isFinal) await this.take(ids);
      return packed;
    }
    for (const { batch } of packed) batch.release();
    await this.withdraw(ids);
    throw droppedError();
  }

  /** Makes the exports final on every worker. */
  async take(ids: readonly string[]): Promise<void> {
    const { shares, signal } = this.#options;
    const calls = ids.flatMap((id) => shares.map((share) => this.#repeat(share, toSettle(id), TAKEN, signal)));
    await Promise.all(calls);
  }

  /** Ends the leases of batches that the client did not receive. On a worker that does not answer, they expire. */
  async withdraw(ids: readonly string[]): Promise<void> {
    const calls = ids.flatMap((id) => this.#options.shares.map((share) => this.call(share, toSettle(id), LEFT)));
    await Promise.all(calls);
  }

  /** Packs the sessions of all files. If that fails, the workers leave their sessions as they were. */
  async #pack(files: readonly WorkerFile[], sessionIds: readonly string[], pack: PackSessions) {
    const { signal } = this.#options;
    let packed: readonly PackedExport[] = [];
    try {
      signal.throwIfAborted();
      await refuseErrors(files);
      const restored = await restoreFiles(files, signal);
      packed = await packRestored(restored, sessionIds, pack);
      signal.throwIfAborted();
      return { packed, digests: restored.map(({ digest }) => digest) };
    } catch (error) {
      for (const { batch } of packed) batch.release();
      closeFiles(files);
      await Promise.all(files.map((file) => this.#settle(file, LEFT)));
      throw error;
    }
  }

  /**
   * Settles the sessions of a worker. A worker that leaves and returns has dropped the export, so it sends its records again.
   *
   * @param sent what the worker was asked for and has sent. Absent: its sessions are left
   * @returns undefined if the worker prepared nothing, did not return, or returned without its sessions. In the last two cases, the
   *   batch has their only copy.
   */
  async #settle({ share, stream }: WorkerFile, settlement: Settlement, sent?: Sent): Promise<WorkerReply | undefined> {
    let id = stream?.headers[EXPORT_ID];
    for (let calls = 1; id !== undefined; calls++) {
      const settled = await this.call(share, toSettle(String(id)), settlement);
      if (settled || !sent || calls === MAX_CALLS) return settled;
      if (!(await this.#waitForReturn(share))) return undefined;
      const again = await this.call(share, PREPARE, { ...sent.request, session_ids: share.sessionIds });
      id = again?.headers[EXPORT_ID];
      if (!again || again.status === NOT_FOUND || again.status === GONE) return undefined;
      if (id === undefined) return again;
      if (createHash(DIGEST).update(again.body).digest("hex") === sent.digest) continue;
      // The sessions changed after the batch was packed.
      await this.call(share, toSettle(String(id)), LEFT);
      return { ...again, status: CONFLICT };
    }
    return undefined;
  }

  /** Waits for a worker that left. Returns true if it is there again. */
  async #waitForReturn(share: WorkerShare): Promise<boolean> {
    const { pool, signal } = this.#options;
    const returned = await pool.whenReturned(share.worker, signal);
    if (!returned) return false;
    share.worker = returned;
    return true;
  }

  /** Calls a worker. If the worker leaves, calls it again once it has returned. Only for calls that change nothing. */
  async #repeat(share: WorkerShare, path: string, body: object, signal: AbortSignal): Promise<WorkerReply | undefined> {
    for (let calls = 1; ; calls++) {
      const reply = await this.call(share, path, body, signal);
      if (reply || signal.aborted || calls === MAX_CALLS) return reply;
      if (!(await this.#waitForReturn(share))) return undefined;
    }
  }

  /** Calls a worker once. Returns undefined if it does not answer. */
  async call(
    { worker }: WorkerShare,
    path: string,
    body: object,
    signal?: AbortSignal,
  ): Promise<WorkerReply | undefined> {
    const { upstream, headers } = this.#options;
    const reply = await callWorker(upstream, worker, { path, headers, body, ...(signal ? { signal } : {}) });
    if (!reply && !signal?.aborted) worker.state = "down";
    return reply;
  }
}

export const toSettle = (id: string): string => `/export_batch/${id}/settle`;

/**
 * Restores the sessions of all files.
 *
 * @throws ApiError `worker_unavailable` with the sessions of all files that broke off, or `invalid_worker_reply`
 */
async function restoreFiles(files: readonly WorkerFile[], signal: AbortSignal): Promise<RestoredFile[]> {
  const results = await Promise.allSettled(files.map(restoreFile));
  const restored = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  if (restored.length === files.length) return restored;
  freeSessions(restored);
  signal.throwIfAborted();
  const broken = results.flatMap((result, index): PartRefusal[] => {
    if (result.status === "fulfilled") return [];
    const { sessionIds } = files[index]?.share ?? { sessionIds: [] };
    if (isUnavailable(result.reason)) return [{ sessionIds, reply: undefined }];
    throw result.reason;
  });
  throw mergeRefusals(broken);
}

const isUnavailable = (error: unknown): boolean => error instanceof ApiError && error.code === "worker_unavailable";

async function restoreFile({ share, stream }: WorkerFile): Promise<RestoredFile> {
  const sessions: FileSession[] = [];
  const hash = createHash(DIGEST);
  async function* readChunks(): AsyncGenerator<Buffer> {
    for await (const chunk of stream?.body ?? []) {
      hash.update(chunk as Buffer);
      yield chunk as Buffer;
    }
  }
  try {
    for await (const restored of readSessions(readChunks(), fileName(share))) {
      const expected = share.sessionIds[sessions.push(restored) - 1];
      if (restored.session.id !== expected) throw wrongSession(expected);
    }
    if (sessions.length < share.sessionIds.length) throw wrongSession(share.sessionIds[sessions.length]);
    return { sessions, digest: hash.digest("hex") };
  } catch (error) {
    freeSessions([{ sessions }]);
    throw toFileError(error, share);
  }
}

async function packRestored(
  restored: readonly RestoredFile[],
  sessionIds: readonly string[],
  pack: PackSessions,
): Promise<readonly PackedExport[]> {
  try {
    const origin = mergeOrigins(restored.flatMap(({ sessions: [first] }) => first?.origin ?? []));
    const byId = new Map(restored.flatMap(({ sessions }) => sessions.map(({ session }) => [session.id, session])));
    return await pack(
      sessionIds.flatMap((id) => byId.get(id) ?? []),
      origin,
    );
  } finally {
    freeSessions(restored);
  }
}

/** Frees the native memory of the sessions, which would otherwise wait for the garbage collector. */
function freeSessions(restored: readonly Pick<RestoredFile, "sessions">[]): void {
  for (const { session } of restored.flatMap(({ sessions }) => sessions)) session.data.unload();
}

/** Returns the error for a worker that dropped the export. Its sessions may have changed since. */
export function droppedError(): ApiError {
  const message =
    `A worker dropped its part of the batch, because the batch took longer than ${HOLD_SECONDS} s or the worker restarted. Export ` +
    "the batch again.";
  return new ApiError("batch_not_exportable", message, { param: "session_ids" });
}
