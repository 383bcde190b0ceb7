import type { Batch } from "../batch/batch.js";

interface Lease {
  readonly batch: Batch;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Process id of the reader on this machine, if it gave one. */
  readonly readerPid: number | undefined;
}

/**
 * Batches in shared files that readers use.
 *
 * A reader acknowledges its batch, and the memory of the file is then reused for another batch. A file that is not
 * acknowledged is unlinked when its lease expires or its reader's process ends. It is never overwritten, so memory that
 * the reader still maps keeps its content.
 */
export class SharedExports {
  readonly #leases = new Map<string, Lease>();

  get size(): number {
    return this.#leases.size;
  }

  lend(id: string, batch: Batch, leaseMilliseconds: number, readerPid?: number): void {
    this.#leases.set(id, { batch, expiresAt: Date.now() + leaseMilliseconds, readerPid });
  }

  /** Returns false if there is no lease with this id. */
  acknowledge(id: string): boolean {
    const lease = this.#leases.get(id);
    if (!lease) return false;
    this.#leases.delete(id);
    lease.batch.acknowledge();
    return true;
  }

  /** Unlinks the file of a batch whose response was not delivered. */
  withdraw(id: string): void {
    this.#leases.get(id)?.batch.release();
    this.#leases.delete(id);
  }

  /**
   * Unlinks the files that will not be acknowledged: their lease expired, or their reader has ended or taken the file.
   */
  reap(now = Date.now()): void {
    for (const [id, { batch, expiresAt, readerPid }] of this.#leases) {
      const over = now >= expiresAt || batch.taken || (readerPid !== undefined && !isAlive(readerPid));
      if (!over) continue;
      this.#leases.delete(id);
      batch.release();
    }
  }

  close(): void {
    for (const { batch } of this.#leases.values()) batch.release();
    this.#leases.clear();
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
