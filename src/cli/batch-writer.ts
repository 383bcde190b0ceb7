import { mkdtemp, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BatchFileError, writeBatchFile } from "./batch-file.js";

export interface BatchWriterOptions {
  /** How long a batch that cannot be written is tried again, in seconds. `Infinity`: until the job is stopped. */
  readonly waitSeconds: number;
  /** Folders that a batch is saved in, the first that takes it, if it cannot be written after that time. */
  readonly rescueFolders: readonly string[];
  /** Nobody else has the data: if no folder takes the batch, try on until the job is stopped. */
  readonly untilSaved: boolean;
  /** Aborts when the job is stopped: a failure is not waited for any more. */
  readonly signal: AbortSignal;
  readonly tell: (message: string) => void;
  /** Between two attempts, in milliseconds. */
  readonly pauseMilliseconds?: number;
}

export interface WrittenBatch {
  /** Where the batch is. */
  readonly file: string;
  /** Why it is not where it should be. */
  readonly failure: BatchFileError | undefined;
}

const PAUSE_MS = 2000;

/** Writes batches, and waits for space where there is none: a batch is hours of work. */
export class BatchWriter {
  readonly #options: BatchWriterOptions;

  constructor(options: BatchWriterOptions) {
    this.#options = options;
  }

  /**
   * Tries `file` until it can be written or the waiting is over, then the rescue folders.
   *
   * @throws BatchFileError if no folder took it
   */
  async write(file: string, batch: Uint8Array): Promise<WrittenBatch> {
    const { signal, waitSeconds, untilSaved, tell, pauseMilliseconds = PAUSE_MS } = this.#options;
    const until = performance.now() + waitSeconds * 1000;
    for (let attempt = 0; ; attempt++) {
      const failure = await attemptToWrite(file, batch);
      if (failure === undefined) {
        if (attempt > 0) tell(`${file} is written`);
        return { file, failure };
      }
      const waiting = !signal.aborted && performance.now() < until;
      if (!waiting) {
        const saved = await this.#rescue(file, batch);
        if (saved !== undefined) return { file: saved, failure };
        if (signal.aborted || !untilSaved) throw failure;
      }
      if (attempt === 0) tell(this.#announcement(failure));
      await sleep(pauseMilliseconds, undefined, { signal }).catch(() => undefined);
    }
  }

  #announcement({ message, file }: BatchFileError): string {
    const { waitSeconds, rescueFolders } = this.#options;
    const time = Number.isFinite(waitSeconds) ? ` for ${waitSeconds} s` : "";
    const [rescue] = rescueFolders;
    const then =
      rescue === undefined ? "" : ` After that, and after Ctrl-C, it is saved in ${rescue} if there is space.`;
    const wait = `The batch is kept in memory and tried again every two seconds${time}`;
    return `${message}. ${wait}; free space in ${dirname(file)} or remove the cause.${then}`;
  }

  async #rescue(file: string, batch: Uint8Array): Promise<string | undefined> {
    for (const folder of this.#options.rescueFolders) {
      const own = await mkdtemp(join(folder, "rolltape-batch-")).catch(() => undefined);
      if (own === undefined) continue;
      const saved = join(own, basename(file));
      if ((await attemptToWrite(saved, batch)) === undefined) return saved;
      await rmdir(own).catch(() => undefined);
    }
    return undefined;
  }
}

async function attemptToWrite(file: string, batch: Uint8Array): Promise<BatchFileError | undefined> {
  try {
    await writeBatchFile(file, batch);
    return undefined;
  } catch (error) {
    if (error instanceof BatchFileError) return error;
    throw error;
  }
}
