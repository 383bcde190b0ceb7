import type { Worker } from "node:worker_threads";
import { startThread } from "../support/start-thread.js";
import type { Change } from "./changes.js";
import type { CommitRequest, CommitResult } from "./commit-worker.js";
import type { DatabaseOptions } from "./database.js";
import type { SegmentToApply } from "./log/write-ahead-log.js";
import { packChanges } from "./packed-changes.js";

/** A request to the thread that has no result yet. */
interface Pending {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Commits changes on a separate thread, because a commit blocks until it is on disk. The thread does not keep the process alive,
 * except while a commit is running. If it fails, the next commit starts another one.
 *
 * - LMDB's own asynchronous writes are not used: when such a commit fails, promises reject that no caller can handle.
 * - Every recorded call waits for this thread. A message to it and back takes 0.10 ms, and through a pool of threads 0.20 ms.
 */
export class CommitThread {
  readonly #options: DatabaseOptions;
  /** In the order in which they were sent, which is the order of their results. */
  #pending: Pending[] = [];
  #worker: Worker | undefined;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#worker = this.#start();
  }

  /** Commits changes, all or none. Rejects if the disk refuses the commit. */
  commit(changes: readonly Change[]): Promise<void> {
    const packed = packChanges(changes);
    return this.#send(packed, [packed.buffer]);
  }

  /** Commits the changes of a segment of the log, which the thread reads from its file. */
  apply(segment: SegmentToApply): Promise<void> {
    return this.#send(segment, []);
  }

  async close(): Promise<void> {
    await this.#send("close", []);
    await this.#worker?.terminate();
  }

  #send(request: CommitRequest, transferList: ArrayBuffer[]): Promise<void> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    worker.ref();
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject });
      worker.postMessage(request, transferList);
    });
  }

  #start(): Worker {
    const worker = startThread("./commit-worker", import.meta.url, { name: "commit", workerData: this.#options });
    worker.unref();
    worker.on("message", ({ error }: CommitResult) => {
      const pending = this.#pending.shift();
      if (this.#pending.length === 0) worker.unref();
      if (error) pending?.reject(error);
      else pending?.resolve();
    });
    worker.on("error", (error: Error) => this.#drop(worker, error));
    worker.on("exit", () => this.#drop(worker, new Error("The thread that commits has ended.")));
    return worker;
  }

  /** Rejects what the thread has not done. */
  #drop(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const pending = this.#pending;
    this.#pending = [];
    for (const { reject } of pending) reject(error);
  }
}
