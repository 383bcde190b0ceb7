import { startThread } from "../support/start-thread.js";
import { packChanges } from "./packed-changes.js";
/**
 * Commits changes on a separate thread, because a commit blocks until it is on disk. The thread does not keep the process alive,
 * except while a commit is running. If it fails, the next commit starts another one.
 *
 * - LMDB's own asynchronous writes are not used: when such a commit fails, promises reject that no caller can handle.
 * - Every recorded call waits for this thread. A message to it and back takes 0.10 ms, and through a pool of threads 0.20 ms.
 */
export class CommitThread {
    #options;
    /** In the order in which they were sent, which is the order of their results. */
    #pending = [];
    #worker;
    constructor(options) {
        this.#options = options;
        this.#worker = this.#start();
    }
    /** Commits changes, all or none. Rejects if the disk refuses the commit. */
    commit(changes) {
        const packed = packChanges(changes);
        return this.#send(packed, [packed.buffer]);
    }
    /** Commits the changes of a segment of the log, which the thread reads from its file. */
    apply(segment) {
        return this.#send(segment, []);
    }
    async close() {
        await this.#send("close", []);
        await this.#worker?.terminate();
    }
    #send(request, transferList) {
        this.#worker ??= this.#start();
        const worker = this.#worker;
        worker.ref();
        return new Promise((resolve, reject) => {
            this.#pending.push({ resolve, reject });
            worker.postMessage(request, transferList);
        });
    }
    #start() {
        const worker = startThread("./commit-worker", import.meta.url, { name: "commit", workerData: this.#options });
        worker.unref();
        worker.on("message", ({ error }) => {
            const pending = this.#pending.shift();
            if (this.#pending.length === 0)
                worker.unref();
            if (error)
                pending?.reject(error);
            else
                pending?.resolve();
        });
        worker.on("error", (error) => this.#drop(worker, error));
        worker.on("exit", () => this.#drop(worker, new Error("The thread that commits has ended.")));
        return worker;
    }
    /** Rejects what the thread has not done. */
    #drop(worker, error) {
        if (this.#worker !== worker)
            return;
        this.#worker = undefined;
        const pending = this.#pending;
        this.#pending = [];
        for (const { reject } of pending)
            reject(error);
    }
}
//# sourceMappingURL=commit-thread.js.map