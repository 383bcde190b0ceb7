import { packBatch } from "../../src/session/batch/batch.js";
import { type BatchOptionsInput, batchOptionsSchema } from "../../src/session/batch/batch-options.js";
import { mergeOrigins } from "../../src/session/batch/merge-origins.js";
import { type FileSession, readSessions } from "../../src/session/stored/file/read-sessions.js";

/** Small, so that records are cut. */
const CHUNK_BYTES = 1000;

/** Reads all sessions of a sessions file called `x.sessions`. */
export async function readSessionsFile(file: Buffer): Promise<FileSession[]> {
  const sessions: FileSession[] = [];
  for await (const session of readSessions(cut(file), "x.sessions")) sessions.push(session);
  return sessions;
}

/** Returns the bytes of the batch of a sessions file. */
export async function packSessionsFile(file: Buffer, options: BatchOptionsInput): Promise<Buffer> {
  const read = await readSessionsFile(file);
  const origin = mergeOrigins([...new Set(read.flatMap((each) => each.origin ?? []))]);
  using batch = await packBatch(
    read.map(({ session }) => session),
    batchOptionsSchema.parse(options),
    { origin },
  );
  return Buffer.from(batch.bytes);
}

async function* cut(file: Buffer): AsyncGenerator<Buffer> {
  for (let from = 0; from < file.length; from += CHUNK_BYTES) yield file.subarray(from, from + CHUNK_BYTES);
}
