import { randomUUID } from "node:crypto";
import type { PreparedExport } from "./exporter.js";

interface Held {
  readonly settle: PreparedExport<unknown>["settle"];
  readonly timer: NodeJS.Timeout;
}

/**
 * Exports that were packed and sent, and whose asker has yet to say whether they came about: one who puts a batch together
 * from several servers knows that only when it has every part. Without a word in time nothing was taken.
 */
export class PreparedExports {
  readonly #held = new Map<string, Held>();

  /** How many are still to be settled. */
  get size(): number {
    return this.#held.size;
  }

  /** Answers the id under which the export is settled. */
  hold({ settle }: PreparedExport<unknown>, milliseconds: number): string {
    const id = randomUUID();
    const timer = setTimeout(() => this.settle(id, "left"), milliseconds);
    timer.unref();
    this.#held.set(id, { settle, timer });
    return id;
  }

  /** Answers whether there was such an export still to be settled. */
  settle(id: string, outcome: "taken" | "left"): boolean {
    const held = this.#held.get(id);
    if (!held) return false;
    clearTimeout(held.timer);
    this.#held.delete(id);
    held.settle(outcome);
    return true;
  }

  /** Leaves everything as it was. */
  close(): void {
    for (const id of this.#held.keys()) this.settle(id, "left");
  }
}
