import { randomUUID } from "node:crypto";
import type { Batch } from "./batch/batch.js";

export interface Lease {
  readonly id: string;
  readonly batch: Batch;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The reader's process on this machine, where it said so. */
  readonly readerPid: number | undefined;
}

/**
 * Batches in shared files that were handed to readers. A reader acknowledges its batch, then the file's memory serves the
 * next one. What a reader never acknowledges is unlinked when its lease is over or its process has gone: never written
 * over, so what it still maps stays as it is.
 */
export class SharedExports {
  readonly #leases = new Map<string, Lease>();

  get size(): number {
    return this.#leases.size;
  }

  lend(batch: Batch, leaseMilliseconds: number, readerPid?: number): Lease {
    const lease = { id: `batch-${randomUUID()}`, batch, expiresAt: Date.now() + leaseMilliseconds, readerPid };
    this.#leases.set(lease.id, lease);
    return lease;
  }

  /** @returns false where there is no such lease (any more). */
  acknowledge(id: string): boolean {
    const lease = this.#leases.get(id);
    if (!lease) return false;
    this.#leases.delete(id);
    lease.batch.acknowledge();
    return true;
  }

  /** Unlinks a file that its reader never heard of. */
  withdraw(id: string): void {
    this.#leases.get(id)?.batch.release();
    this.#leases.delete(id);
  }

  /** Unlinks what nobody will acknowledge. */
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

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives and is another user's.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
