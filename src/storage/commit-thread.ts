import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import type { Change } from "./changes.js";
import type { CommitRequest } from "./commit-worker.js";
import type { DatabaseOptions } from "./database.js";
import { packChanges } from "./packed-changes.js";

/**
 * Commits changes on a separate thread, because a commit blocks until it is on disk. The thread does not keep the process alive.
 *
 * LMDB's own asynchronous writes are not used: when such a commit fails, promises reject that no caller can handle.
 */
export class CommitThread {
  readonly #pool: Piscina<CommitRequest, void>;

  constructor(options: DatabaseOptions) {
    const isSource = import.meta.url.endsWith(".ts");
    this.#pool = new Piscina<CommitRequest, void>({
      filename: fileURLToPath(new URL(isSource ? "./commit-worker.ts" : "./commit-worker.js", import.meta.url)),
      name: "commit",
      workerData: JSON.stringify(options),
      minThreads: 1,
      maxThreads: 1,
      ...(isSource ? { execArgv: ["--import", "tsx"] } : {}),
    });
  }

  /** Commits changes, all or none. Rejects if the disk refuses the commit. */
  async commit(changes: readonly Change[]): Promise<void> {
    const packed = packChanges(changes);
    await this.#pool.run(packed, { transferList: [packed.buffer] });
  }

  async close(): Promise<void> {
    await this.#pool.run("close");
    await this.#pool.destroy();
  }
}
