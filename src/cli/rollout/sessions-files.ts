import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import type { AdminClient } from "../../client/admin-client.js";
import { readFrames } from "../../session/stored/file/frames.js";
import { readPieces } from "../../support/async/read-pieces.js";
import { sessionsFileOf } from "../export/sessions-file-path.js";
import type { BatchFiles } from "./batch-files.js";
import { PartialBatch, type PartialFileSystem } from "./partial-batch.js";
import type { RolloutOptions } from "./rollout-options.js";

/** A batch that is written. */
export interface NumberedFile {
  readonly number: number;
  readonly file: string;
}

/** The sessions files that a job writes, one for each batch. */
export class SessionsFiles {
  readonly #file: string | undefined;
  readonly #isBeside: boolean;
  readonly #admin: Pick<AdminClient, "receiveSessions">;
  readonly files: string[] = [];
  bytes = 0;
  /** Number of files that could not be written. */
  failed = 0;

  constructor(
    { sessions, out }: Pick<RolloutOptions, "sessions" | "out">,
    admin: Pick<AdminClient, "receiveSessions">,
  ) {
    this.#file = sessions === false ? undefined : sessions;
    this.#isBeside = this.#file === sessionsFileOf(out);
    this.#admin = admin;
  }

  /**
   * Writes the sessions of a batch, if the job keeps them.
   *
   * @returns the file
   * @throws Error if the proxy does not send them or they cannot be written. The batch is not affected
   */
  async write(
    batch: NumberedFile,
    sessionIds: readonly string[],
    batches: Pick<BatchFiles, "addNumber">,
  ): Promise<string | undefined> {
    if (this.#file === undefined) return undefined;
    const file = this.#isBeside ? sessionsFileOf(batch.file) : batches.addNumber(this.#file, batch.number);
    try {
      this.bytes += await this.#admin.receiveSessions(sessionIds, {}, (body) => receiveSessions(body, file));
      this.files.push(file);
      return file;
    } catch (cause) {
      this.failed++;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`the sessions file ${file} was not written: ${why}`, { cause });
    }
  }
}

/** Larger pieces take more memory, smaller ones more processor time. */
const PIECE_BYTES = 1 << 22;

/**
 * Receives a sessions file into a partial file beside `file`, checks that it is complete, and renames it. When this resolves, the file
 * survives a power failure. If it rejects, no partial file is left.
 *
 * @returns the size in bytes
 */
async function receiveSessions(body: Readable, file: string, disk?: PartialFileSystem): Promise<number> {
  const partial = await PartialBatch.create(file, undefined, disk);
  try {
    for await (const piece of readPieces(body, PIECE_BYTES)) await partial.append(piece);
    await partial.sync();
    for await (const _ of readFrames(createReadStream(partial.path) as AsyncIterable<Buffer>, "The answer"));
    const { length } = partial;
    await partial.commit(file);
    return length;
  } catch (error) {
    await partial.discard();
    throw error;
  }
}
