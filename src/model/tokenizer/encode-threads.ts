import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import type { EncodeAnswer } from "./encode-worker.js";
import { TokenizerError, type TokenizerFiles } from "./piece-encoder.js";

// Beside the event loop and the engine's threads; encoding is fast enough that more would only hold more memory.
const MAX_THREADS = 4;

// A thread takes about a second to read a vocabulary of 150,000 tokens: it is kept over the pauses of a rollout.
const IDLE_MILLISECONDS = 600_000;

type Pool = Piscina<readonly string[], EncodeAnswer>;

/**
 * Threads that encode text away from the event loop. They start with the first text, or with {@link warmUp}, and each
 * holds the vocabulary. None keeps the process alive.
 */
export class EncodeThreads {
  readonly #files: TokenizerFiles;
  #pool: Pool | undefined;

  constructor(files: TokenizerFiles) {
    this.#files = files;
  }

  /** Starts a thread, so that the first text does not wait for it. */
  warmUp(): Pool {
    return (this.#pool ??= startPool(this.#files));
  }

  /**
   * The ids of texts, each encoded on its own by one thread.
   *
   * @throws TokenizerError
   */
  async encode(texts: readonly string[]): Promise<Int32Array[]> {
    const answer = await this.warmUp().run(texts);
    if ("refused" in answer) throw new TokenizerError(answer.refused);
    let end = texts.length;
    return Array.from(answer.subarray(0, end), (count) => answer.subarray(end, (end += count)));
  }

  /** Ends the threads; texts that are being encoded are given up. */
  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.destroy();
  }
}

function startPool(files: TokenizerFiles): Pool {
  const isSource = import.meta.url.endsWith(".ts");
  return new Piscina<readonly string[], EncodeAnswer>({
    filename: fileURLToPath(new URL(isSource ? "./encode-worker.ts" : "./encode-worker.js", import.meta.url)),
    name: "encode",
    workerData: JSON.stringify(files),
    minThreads: 1,
    maxThreads: Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1)),
    idleTimeout: IDLE_MILLISECONDS,
    ...(isSource ? { execArgv: ["--import", "tsx"] } : {}),
  });
}
