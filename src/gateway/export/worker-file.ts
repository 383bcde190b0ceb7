import { ApiError } from "../../http/errors.js";
import { DamagedSessionError } from "../../session/stored/damaged-session-error.js";
import { SessionsFileError } from "../../session/stored/file/errors.js";
import { onAbort } from "../../support/async/on-abort.js";
import { workerUnavailableError } from "../forward.js";
import type { WorkerConnections, WorkerStream } from "../worker-connections.js";
import type { Worker } from "../worker-pool.js";
import { mergeRefusals, type PartRefusal } from "./refusal.js";

/** A worker and its sessions in an export. */
export interface WorkerShare {
  /** Replaced when the worker returns at another address. */
  worker: Worker;
  readonly sessionIds: readonly string[];
}

/** The sessions file of a worker, while it arrives. */
export interface WorkerFile {
  readonly share: WorkerShare;
  /** Undefined if the worker did not answer. */
  readonly stream: WorkerStream | undefined;
}

export interface FileRequest {
  readonly upstream: WorkerConnections;
  readonly path: string;
  /** The client's key. */
  readonly headers: Readonly<Record<string, string>>;
  /** The fields of the body, without the sessions. */
  readonly fields: object;
  /** Aborts when the client disconnects. Ends the file as well. */
  readonly signal: AbortSignal;
}

/**
 * Time for answers that are on their way when the client disconnects. Without the id in its headers, the gateway could not end what a worker
 * has prepared.
 */
const LAST_ANSWER_MS = 2000;

/** Requests the sessions file of each worker. The caller must read the files to their ends or close them. */
export function openFiles(shares: readonly WorkerShare[], request: FileRequest): Promise<WorkerFile[]> {
  return Promise.all(shares.map((share) => openFile(share, request)));
}

async function openFile(share: WorkerShare, request: FileRequest): Promise<WorkerFile> {
  const { upstream, path, headers, fields, signal } = request;
  const { url, contact } = share.worker;
  if (contact.isUnreachable) return { share, stream: undefined };
  const lost = new AbortController();
  const stopWatching = contact.watch(() => lost.abort());
  const body = { ...fields, session_ids: share.sessionIds };
  let timer: NodeJS.Timeout | undefined;
  const ending = onAbort(signal, () => (timer = setTimeout(() => lost.abort(), LAST_ANSWER_MS)));
  try {
    const stream = await upstream.open(url, { path, headers, body, signal: lost.signal });
    contact.answered();
    const closing = onAbort(signal, () => void stream.body.destroy());
    stream.body.once("close", () => {
      stopWatching();
      closing[Symbol.dispose]();
    });
    return { share, stream };
  } catch {
    stopWatching();
    if (!signal.aborted) contact.suspect();
    return { share, stream: undefined };
  } finally {
    ending[Symbol.dispose]();
    clearTimeout(timer);
  }
}

/** @throws ApiError that names the sessions of all workers that sent no file */
export async function refuseErrors(files: readonly WorkerFile[]): Promise<void> {
  const refusals = (await Promise.all(files.map(readRefusal))).flat();
  if (refusals.length > 0) throw mergeRefusals(refusals);
}

async function readRefusal({ share, stream }: WorkerFile): Promise<PartRefusal[]> {
  const { sessionIds } = share;
  if (stream === undefined) return [{ sessionIds, reply: undefined }];
  if (stream.status < 300) return [];
  const { status, headers } = stream;
  return [{ sessionIds, reply: { status, headers, body: Buffer.concat(await stream.body.toArray()) } }];
}

/** Returns the name of a worker's file in errors. */
export const fileName = ({ worker }: WorkerShare): string => `The sessions file of worker ${worker.tag}`;

/**
 * Returns the error for a worker's file that cannot be read: `invalid_worker_reply` if it is damaged, `worker_unavailable` if it broke
 * off.
 */
export function toFileError(error: unknown, { worker }: WorkerShare): unknown {
  if (error instanceof ApiError) return error;
  const isDamaged = error instanceof SessionsFileError || error instanceof DamagedSessionError;
  if (isDamaged) return new ApiError("invalid_worker_reply", error.message, { cause: error });
  return workerUnavailableError(worker.tag, error);
}

export function closeFiles(files: readonly WorkerFile[]): void {
  for (const { stream } of files) stream?.body.destroy();
}

export function wrongSession(id?: string): ApiError {
  const found = id === undefined ? "more sessions than it was asked for" : `another session in place of ${id}`;
  return new ApiError("invalid_worker_reply", `A worker's sessions file has ${found}.`);
}
