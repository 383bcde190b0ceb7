import { randomUUID } from "node:crypto";
import type { ExportOutcome } from "../lifecycle.js";
import type { PreparedExport } from "./exporter.js";

interface PendingExport {
  readonly prepared: PreparedExport<unknown>;
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
  hold(prepared: PreparedExport<unknown>, milliseconds: number): string {
    const id = randomUUID();
    const timer = setTimeout(() => this.settle(id, "left"), milliseconds);
    timer.unref();
    this.#pending.set(id, { prepared, timer });
    return id;
  }

  /** Settles an export and returns it. Returns undefined if no export with this id is pending. */
  settle(id: string, outcome: ExportOutcome): PreparedExport<unknown> | undefined {
    const pending = this.#pending.get(id);
    if (!pending) return undefined;
    clearTimeout(pending.timer);
    this.#pending.delete(id);
    pending.prepared.settle(outcome);
    return pending.prepared;
  }

  /** Settles every export without sealing its sessions. */
  close(): void {
    for (const id of this.#pending.keys()) this.settle(id, "left");
  }
}
