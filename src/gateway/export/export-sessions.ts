import { ApiError } from "../../http/errors.js";
import { SessionsFileError } from "../../session/stored/file/errors.js";
import type { Frame } from "../../session/stored/file/frames.js";
import { readSessionFrames, type SessionFrames } from "../../session/stored/file/read-sessions.js";
import { writeFrames } from "../../session/stored/file/write-sessions.js";
import { workerUnavailableError } from "../forward.js";
import type { UpstreamStream } from "../upstream.js";
import type { BatchExportOptions, WorkerShare } from "./batch-export.js";
import { mergeRefusals, type PartRefusal } from "./refusal.js";

type SessionsExportOptions = Omit<BatchExportOptions, "pool">;

/** The sessions file of a worker, while it arrives. */
interface OpenPart {
  readonly share: WorkerShare;
  /** Undefined if the worker did not answer. */
  readonly stream: UpstreamStream | undefined;
}

/**
 * Exports the sessions of several workers as one sessions file. Each worker's file is read only as far as the joined file needs it, so a
 * worker sends no faster than the client reads.
 *
 * @param sessionIds all sessions in the order of the file
 * @param fields the other fields of the request
 * @returns the chunks of the file
 * @throws ApiError that names each session that cannot be exported
 */
export async function exportSessions(
  sessionIds: readonly string[],
  fields: object,
  options: SessionsExportOptions,
): Promise<AsyncGenerator<Buffer>> {
  const parts = await Promise.all(options.shares.map((share) => openPart(share, fields, options)));
  try {
    options.signal.throwIfAborted();
    const refusals = (await Promise.all(parts.map(readRefusal))).flat();
    if (refusals.length > 0) throw mergeRefusals(refusals);
  } catch (error) {
    closeParts(parts);
    throw error;
  }
  return writeFrames(joinParts(sessionIds, parts));
}

async function openPart(share: WorkerShare, fields: object, options: SessionsExportOptions): Promise<OpenPart> {
  const { upstream, headers, signal } = options;
  const { url, contact } = share.worker;
  if (contact.isUnreachable) return { share, stream: undefined };
  const lost = new AbortController();
  const stopWatching = contact.watch(() => lost.abort());
  const body = { ...fields, session_ids: share.sessionIds };
  const ends = AbortSignal.any([signal, lost.signal]);
  try {
    const stream = await upstream.open(url, { path: "/export_sessions", headers, body, signal: ends });
    contact.answered();
    stream.body.once("close", stopWatching);
    return { share, stream };
  } catch {
    stopWatching();
    if (!signal.aborted) contact.suspect();
    return { share, stream: undefined };
  }
}

async function readRefusal({ share, stream }: OpenPart): Promise<PartRefusal[]> {
  const { sessionIds } = share;
  if (stream === undefined) return [{ sessionIds, reply: undefined }];
  if (stream.status < 300) return [];
  const { status, headers } = stream;
  return [{ sessionIds, reply: { status, headers, body: Buffer.concat(await stream.body.toArray()) } }];
}

async function* joinParts(sessionIds: readonly string[], parts: readonly OpenPart[]): AsyncGenerator<Frame> {
  try {
    const readers = new Map<string, AsyncGenerator<SessionFrames>>();
    for (const { share, stream } of parts) {
      if (stream === undefined) continue;
      const reader = readWorkerFile(stream, share.worker.tag);
      for (const id of share.sessionIds) readers.set(id, reader);
    }
    for (const id of sessionIds) {
      const next = await readers.get(id)?.next();
      if (next?.done !== false || next.value.id !== id) throw wrongSession(id);
      yield* next.value.frames;
    }
    // Each file must be at its end, which shows that nothing is missing.
    for (const reader of new Set(readers.values())) if ((await reader.next()).done !== true) throw wrongSession();
  } finally {
    closeParts(parts);
  }
}

/** @throws ApiError `worker_unavailable` if the worker breaks off its file, `invalid_worker_reply` if the file is damaged */
async function* readWorkerFile({ body }: UpstreamStream, tag: string): AsyncGenerator<SessionFrames> {
  try {
    yield* readSessionFrames(body, `The sessions file of worker ${tag}`);
  } catch (error) {
    if (error instanceof SessionsFileError) throw new ApiError("invalid_worker_reply", error.message, { cause: error });
    throw workerUnavailableError(tag, error);
  }
}

function closeParts(parts: readonly OpenPart[]): void {
  for (const { stream } of parts) stream?.body.destroy();
}

function wrongSession(id?: string): ApiError {
  const found = id === undefined ? "more sessions than it was asked for" : `another session in place of ${id}`;
  return new ApiError("invalid_worker_reply", `A worker's sessions file has ${found}.`);
}
