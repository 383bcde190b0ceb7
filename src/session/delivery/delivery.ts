import type { InteractionInfo } from "../../native/contract.js";
import type { Attempt } from "./attempt.js";
import { RequestAttempts, type RestoredAttempt } from "./attempts.js";

/**
 * Why an interaction is left out of batches by default.
 *
 * - `undelivered`: the client's connection closed before the last content of the answer was sent.
 * - `retried`: the client sent the request again and continued from the answer to the retry.
 */
export type LeftOutReason = "undelivered" | "retried";

export interface LeftOutInteraction {
  readonly index: number;
  readonly reason: LeftOutReason;
}

/** Facts of the conversation tree that show whether the client has the answer of an interaction. */
type Evidence = Pick<InteractionInfo, "children" | "ownReward">;

/**
 * Decides which answers of a session did not reach its client.
 *
 * A child, an own reward or a later reference shows that the client has the answer, whatever happened to the
 * connection. Each of these may come late, so every query decides anew from what is known at that time. The session keeps the
 * result of its first export.
 */
export class Delivery {
  readonly attempts: RequestAttempts;
  readonly #evidenceOf: (index: number) => Evidence;
  readonly #choicesOf: (index: number) => readonly number[];
  readonly #onChange: (index: number) => void;
  readonly #closedEarly = new Set<number>();
  /** Interactions whose answer was not sent yet. Only kept if sessions are stored. */
  readonly #awaited = new Set<number>();
  readonly #referenced = new Set<number>();
  #cleared = false;

  /**
   * @param onChange called with the index of an interaction when it was answered or repeated
   * @param choicesOf returns the interactions that were answered together with one, and this one. Default: only this one
   */
  constructor(
    evidenceOf: (index: number) => Evidence,
    onChange: (index: number) => void = () => undefined,
    choicesOf: (index: number) => readonly number[] = (index) => [index],
  ) {
    this.#choicesOf = choicesOf;
    this.#evidenceOf = evidenceOf;
    this.#onChange = onChange;
    this.attempts = new RequestAttempts((index) => this.leftOut(index) === "undelivered", onChange);
  }

  /** Notes that the answer of an interaction is about to be sent. */
  awaitAnswer(index: number): void {
    if (!this.#cleared) this.#awaited.add(index);
  }

  /** True if an answer was not sent yet. */
  get awaitsAnswers(): boolean {
    return this.#awaited.size > 0;
  }

  /** Notes that the whole answer of an interaction was handed to the operating system. */
  answered(index: number): void {
    const wasOpen = this.#awaited.delete(index) || this.#closedEarly.delete(index);
    if (wasOpen && !this.#cleared) this.#onChange(index);
  }

  /** Returns true unless the answer of the interaction may have been lost. */
  wasAnswered(index: number): boolean {
    return !this.#awaited.has(index) && !this.#closedEarly.has(index);
  }

  /** Returns true if the connection closed before the whole answer was sent, as far as is known. */
  hasClosedEarly(index: number): boolean {
    return this.#closedEarly.has(index);
  }

  /** Restores the deliveries of a stored session. `interactions[i]` belongs to interaction i. One that was not answered counts as closed early. */
  restore(interactions: readonly RestoredAttempt[]): void {
    interactions.forEach(({ answered, referenced }, index) => {
      if (!answered) this.#closedEarly.add(index);
      if (referenced) this.#referenced.add(index);
    });
    this.attempts.restore(interactions);
  }

  /** Notes that the connection closed before the interaction's last content was handed to the operating system. */
  closedEarly(index: number): void {
    if (this.#cleared) return;
    this.#awaited.delete(index);
    this.#closedEarly.add(index);
  }

  /** Notes that a later request named the interaction. */
  referTo(index: number): void {
    if (this.#cleared || this.#referenced.has(index)) return;
    this.#referenced.add(index);
    this.#awaited.delete(index);
    this.#closedEarly.delete(index);
    this.#onChange(index);
  }

  /** Returns true if a later request named the interaction. */
  wasReferenced(index: number): boolean {
    return this.#referenced.has(index);
  }

  /** False if no interaction is left out. */
  get mayLeaveOut(): boolean {
    return this.#closedEarly.size > 0 || this.attempts.repeated.size > 0;
  }

  /** Returns why batches leave the interaction out by default; undefined if they do not. */
  leftOut(index: number): LeftOutReason | undefined {
    return this.mayLeaveOut ? this.#leftOut(index, new Map()) : undefined;
  }

  /**
   * Returns all interactions that are left out, by ascending index. Examines only those that closed early or have a
   * retry.
   */
  allLeftOut(): LeftOutInteraction[] {
    // Most sessions have none, and an export asks each of its sessions.
    if (!this.mayLeaveOut) return [];
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
    this.unload();
  }

  /** Forgets everything, until {@link restore}. */
  unload(): void {
    this.#closedEarly.clear();
    this.#awaited.clear();
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
   * Returns true if any later retry in the attempt's chain was recorded and has a child. A child of another choice of the retry's
   * answer counts too, because the client has them all.
   *
   * @param known the results for retries examined before, so that a long chain is walked only once
   */
  #isContinued(attempt: Attempt, known: Map<Attempt, boolean>): boolean {
    const passed: Attempt[] = [];
    let found = false;
    for (let { retry } = attempt; retry && !found; { retry } = retry) {
      const before = known.get(retry);
      if (before === false) break;
      passed.push(retry);
      found = before ?? (typeof retry.outcome === "number" && this.#hasChild(retry.outcome));
    }
    for (const retry of passed) known.set(retry, found);
    return found;
  }

  #hasChild(interaction: number): boolean {
    return this.#choicesOf(interaction).some((index) => this.#evidenceOf(index).children > 0);
  }
}
