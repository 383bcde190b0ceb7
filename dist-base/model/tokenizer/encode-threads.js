import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import { TokenizerError } from "./piece-encoder.js";
// More threads would only take more memory: encoding is fast, and the event loop and the engine need threads too.
const MAX_THREADS = 4;
// Longer than the pauses of a rollout: a new thread takes about a second to read a vocabulary of 150,000 tokens.
const IDLE_MILLISECONDS = 600_000;
/**
 * Threads that encode text outside the event loop. They start with the first text or with {@link warmUp}. Each has its own
 * copy of the vocabulary. They do not keep the process alive.
 */
export class EncodeThreads {
    #files;
    #pool;
    constructor(files) {
        this.#files = files;
    }
    /** Starts a thread, so the first text does not wait for it. */
    warmUp() {
        return (this.#pool ??= startPool(this.#files));
    }
    /**
     * Encodes texts, each on its own, in one thread.
     *
     * @throws TokenizerError if the text cannot be encoded
     */
    async encode(texts) {
        const answer = await this.warmUp().run(texts);
        if ("refused" in answer)
            throw new TokenizerError(answer.refused);
        let end = texts.length;
        return Array.from(answer.subarray(0, end), (count) => answer.subarray(end, (end += count)));
    }
    /** Ends the threads and rejects the texts that they are encoding. */
    async close() {
        const pool = this.#pool;
        this.#pool = undefined;
        await pool?.destroy();
    }
}
function startPool(files) {
    const isSource = import.meta.url.endsWith(".ts");
    return new Piscina({
        filename: fileURLToPath(new URL(isSource ? "./encode-worker.ts" : "./encode-worker.js", import.meta.url)),
        name: "encode",
        workerData: JSON.stringify(files),
        minThreads: 1,
        maxThreads: Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1)),
        idleTimeout: IDLE_MILLISECONDS,
        ...(isSource ? { execArgv: ["--import", "tsx"] } : {}),
    });
}
//# sourceMappingURL=encode-threads.js.map