import { mkdtemp, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { sleep } from "../../support/async/sleep.js";
import { BatchWriteError, writeBatchFile } from "./batch-file.js";
import type { BatchContent } from "./receive-batch.js";

export interface BatchWriterOptions {
  /** Seconds for which writing is retried. `Infinity`: until the job is stopped. */
  readonly waitSeconds: number;
  /** After that time the batch is saved in the first of these folders that accepts it. */
  readonly rescueFolders: readonly string[];
  /** If no folder accepts the batch, retry until the job is stopped, because the data exists nowhere else. */
  readonly untilSaved: boolean;
  /** Aborts when the job is stopped. Writing is then not retried. */
  readonly signal: AbortSignal;
  readonly tell: (message: string) => void;
  /** Pause between two attempts. Default 2000. */
  readonly pauseMilliseconds?: number;
}

export interface SavedBatch {
  /** The file that has the batch. */
  readonly file: string;
  /** Why the batch is in a rescue folder; undefined if it is in the requested file. */
  readonly failure: BatchWriteError | undefined;
}

const PAUSE_MS = 2000;

/** Writes batches. If that fails, it retries and then uses another folder, because a batch may be hours of work. */
export class BatchWriter {
  readonly #options: BatchWriterOptions;

  constructor(options: BatchWriterOptions) {
    this.#options = options;
  }

  /**
   * Tries to write `file` until it succeeds or the time is over, then tries the rescue folders.
   *
   * @throws BatchWriteError if no folder accepted it
   */
  async write(file: string, batch: BatchContent): Promise<SavedBatch> {
    const { signal, waitSeconds, untilSaved, tell, pauseMilliseconds = PAUSE_MS } = this.#options;
    const until = performance.now() + waitSeconds * 1000;
    let content = batch;
    for (let attempt = 0; ; attempt++) {
      const failure = await attemptToWrite(file, content);
      if (failure === undefined) {
        if (attempt > 0) tell(`${file} is written`);
        return { file, failure };
      }
      content = await keepInMemory(content).catch(() => {
        throw failure;
      });
      const waiting = !signal.aborted && performance.now() < until;
      if (!waiting) {
        const saved = await this.#rescue(file, content);
        if (saved !== undefined) return { file: saved, failure };
        if (signal.aborted || !untilSaved) throw failure;
      }
      if (attempt === 0) tell(this.#announcement(failure));
      await sleep(pauseMilliseconds, signal).catch(() => undefined);
    }
  }

  #announcement({ message, file }: BatchWriteError): string {
    const { waitSeconds, rescueFolders } = this.#options;
    const time = Number.isFinite(waitSeconds) ? ` for ${waitSeconds} s` : "";
    const [rescue] = rescueFolders;
    const then =
      rescue === undefined ? "" : ` After that, or after Ctrl-C, it is saved in ${rescue} if there is space.`;
    const wait = `The batch is kept in memory and tried again every two seconds${time}`;
    return `${message}. ${wait}; free space in ${dirname(file)} or remove the cause.${then}`;
  }

  async #rescue(file: string, content: Uint8Array): Promise<string | undefined> {
    for (const folder of this.#options.rescueFolders) {
      const rescue = await mkdtemp(join(folder, "rolltape-batch-")).catch(() => undefined);
      if (rescue === undefined) continue;
      const saved = join(rescue, basename(file));
      if ((await attemptToWrite(saved, content)) === undefined) return saved;
      await rmdir(rescue).catch(() => undefined);
    }
    return undefined;
  }
}

/** Returns the bytes of a batch, whose partial file is removed: it takes space, and another folder cannot have it. */
async function keepInMemory(content: BatchContent): Promise<Uint8Array> {
  if (content instanceof Uint8Array) return content;
  const bytes = await content.readBack();
  await content.discard();
  return bytes;
}

async function attemptToWrite(file: string, content: BatchContent): Promise<BatchWriteError | undefined> {
  try {
    if (content instanceof Uint8Array) await writeBatchFile(file, content);
    else await content.commit(file);
    return undefined;
  } catch (error) {
    if (error instanceof BatchWriteError) return error;
    throw error;
  }
}
