import { randomUUID } from "node:crypto";
import type { PreparedExport } from "./exporter.js";

interface PendingExport {
  readonly settle: PreparedExport<unknown>["settle"];
  readonly timer: NodeJS.Timeout;
}

/**
 * Exports that were packed and sent, but are not settled yet.
 *
 * A gateway joins the parts of several servers into one batch. Only when it has every part does it tell the servers to
 * seal their sessions. An export that is not settled in time leaves its sessions as they were.
 */
export class PreparedExports {
  readonly #pending = new Map<string, PendingExport>();

  /** Number of exports that are not settled yet. */
  get size(): number {
    return this.#pending.size;
  }

  /** Keeps the export for up to `milliseconds`. Returns the id by which to settle it. */
  hold({ settle }: PreparedExport<unknown>, milliseconds: number): string {
    const id = randomUUID();
    const timer = setTimeout(() => this.settle(id, "left"), milliseconds);
    timer.unref();
    this.#pending.set(id, { settle, timer });
    return id;
  }

  /** Settles an export. Returns false if no export with this id is pending. */
  settle(id: string, outcome: "taken" | "left"): boolean {
    const pending = this.#pending.get(id);
    if (!pending) return false;
    clearTimeout(pending.timer);
    this.#pending.delete(id);
    pending.settle(outcome);
    return true;
  }

  /** Settles every export without sealing its sessions. */
  close(): void {
    for (const id of this.#pending.keys()) this.settle(id, "left");
  }
}
