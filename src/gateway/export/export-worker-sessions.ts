import type { Frame } from "../../session/stored/file/frames.js";
import { readSessionFrames, type SessionFrames } from "../../session/stored/file/read-sessions.js";
import { writeFrames } from "../../session/stored/file/write-sessions.js";
import {
  closeFiles,
  type FileRequest,
  fileName,
  openFiles,
  refuseErrors,
  toFileError,
  type WorkerFile,
  type WorkerShare,
  wrongSession,
} from "./worker-file.js";

/**
 * Exports the sessions of several workers as one sessions file. Each worker's file is read only as far as the joined file needs it, so a
 * worker sends no faster than the client reads.
 *
 * @param sessionIds all sessions in the order of the file
 * @returns the chunks of the file
 * @throws ApiError that names each session that cannot be exported
 */
export async function exportWorkerSessions(
  sessionIds: readonly string[],
  shares: readonly WorkerShare[],
  request: Omit<FileRequest, "path">,
): Promise<AsyncGenerator<Buffer>> {
  const files = await openFiles(shares, { ...request, path: "/export_sessions" });
  try {
    request.signal.throwIfAborted();
    await refuseErrors(files);
  } catch (error) {
    closeFiles(files);
    throw error;
  }
  return writeFrames(joinFiles(sessionIds, files));
}

async function* joinFiles(sessionIds: readonly string[], files: readonly WorkerFile[]): AsyncGenerator<Frame> {
  try {
    const readers = new Map<string, AsyncGenerator<SessionFrames>>();
    for (const file of files) {
      const reader = readWorkerFile(file);
      for (const id of file.share.sessionIds) readers.set(id, reader);
    }
    for (const id of sessionIds) {
      const next = await readers.get(id)?.next();
      if (next?.done !== false || next.value.id !== id) throw wrongSession(id);
      yield* next.value.frames;
    }
    // Each file must be at its end, which shows that nothing is missing.
    for (const reader of new Set(readers.values())) if ((await reader.next()).done !== true) throw wrongSession();
  } finally {
    closeFiles(files);
  }
}

async function* readWorkerFile({ share, stream }: WorkerFile): AsyncGenerator<SessionFrames> {
  try {
    if (stream) yield* readSessionFrames(stream.body, fileName(share));
  } catch (error) {
    throw toFileError(error, share);
  }
}
