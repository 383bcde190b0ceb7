import type { InteractionInfo } from "../native/contract.js";
import { type Attempt, RequestAttempts } from "./attempts.js";

/**
 * Why an interaction is left out of batches by default.
 *
 * - `undelivered`: its client's connection closed before the answer's last content was sent.
 * - `retried`: its client repeated the request and went on from the answer to a retry.
 */
export type LeftOutReason = "undelivered" | "retried";

export interface LeftOutInteraction {
  readonly index: number;
  readonly reason: LeftOutReason;
}

/** What the tree knows of an interaction that shows whether its client has the answer. */
type Evidence = Pick<InteractionInfo, "children" | "ownReward">;

/**
 * Tells which interactions of a session did not reach its client as far as is known now.
 *
 * A child, an own reward or a later reference shows that the client has the answer, whatever happened to the connection.
 * Each may come late, so nothing is decided before it is asked for.
 */
export class Delivery {
  readonly attempts = new RequestAttempts((index) => this.leftOut(index) === "undelivered");
  readonly #evidenceOf: (index: number) => Evidence;
  readonly #closedEarly = new Set<number>();
  readonly #referenced = new Set<number>();
  #cleared = false;

  constructor(evidenceOf: (index: number) => Evidence) {
    this.#evidenceOf = evidenceOf;
  }

  /** Notes that the connection closed before the interaction's last content was handed to the operating system. */
  closedEarly(index: number): void {
    if (!this.#cleared) this.#closedEarly.add(index);
  }

  /** Notes that a later request named the interaction. */
  referTo(index: number): void {
    if (!this.#cleared) this.#referenced.add(index);
  }

  leftOut(index: number): LeftOutReason | undefined {
    return this.#leftOut(index, new Map());
  }

  /** By rising index. Takes time in the interactions that may be left out, not in all. */
  allLeftOut(): LeftOutInteraction[] {
    const suspected = new Set([...this.#closedEarly, ...this.attempts.repeated.keys()]);
    const known = new Map<Attempt, boolean>();
    return [...suspected]
      .sort((a, b) => a - b)
      .flatMap((index) => {
        const reason = this.#leftOut(index, known);
        return reason === undefined ? [] : [{ index, reason }];
      });
  }

  clear(): void {
    this.#cleared = true;
    this.#closedEarly.clear();
    this.#referenced.clear();
    this.attempts.clear();
  }

  #leftOut(index: number, known: Map<Attempt, boolean>): LeftOutReason | undefined {
    const isClosed = this.#closedEarly.has(index);
    const repeated = this.attempts.repeated.get(index);
    if (!isClosed && !repeated) return undefined;
    const { children, ownReward } = this.#evidenceOf(index);
    if (children > 0 || ownReward !== undefined || this.#referenced.has(index)) return undefined;
    if (isClosed) return "undelivered";
    return repeated && this.#isContinued(repeated, known) ? "retried" : undefined;
  }

  /**
   * Whether a retry of the attempt, or a retry of that one, has a child.
   *
   * @param known the same of retries that were looked at before, so that a long chain is walked once
   */
  #isContinued(attempt: Attempt, known: Map<Attempt, boolean>): boolean {
    const passed: Attempt[] = [];
    let found = false;
    for (let { retry } = attempt; retry && !found; { retry } = retry) {
      const before = known.get(retry);
      if (before === false) break;
      passed.push(retry);
      found = before ?? (typeof retry.outcome === "number" && this.#evidenceOf(retry.outcome).children > 0);
    }
    for (const retry of passed) known.set(retry, found);
    return found;
  }
}
