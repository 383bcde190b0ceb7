import type { Delivery, LeftOutInteraction, LeftOutReason } from "./delivery.js";

/** Shared, because almost every session leaves out no interaction. */
const NONE: ReadonlyMap<number, LeftOutInteraction> = new Map();

/**
 * The interactions that the exports of a session leave out.
 *
 * The first export decides for all later ones. So its repeats have the same rows, and its shards together have every row, even if an
 * answer reaches its client or is lost in between.
 */
export class LeftOutChoice {
  readonly #delivery: Delivery;
  #chosen: ReadonlyMap<number, LeftOutInteraction> | undefined;
  /** True once an export with the choice was settled. That export may have reached a trainer. */
  #isFinal: boolean;

  /** @param stored the choice of an earlier process */
  constructor(delivery: Delivery, stored?: readonly LeftOutInteraction[]) {
    this.#delivery = delivery;
    this.#chosen = stored && byIndex(stored);
    this.#isFinal = stored !== undefined;
  }

  /** Decides for the exports that are packed now and later, unless an earlier export did. */
  choose(): void {
    this.#chosen ??= byIndex(this.list());
  }

  /** Returns all interactions that are left out, by ascending index. May change until {@link choose}. */
  list(): readonly LeftOutInteraction[] {
    return this.#chosen ? [...this.#chosen.values()] : this.#delivery.allLeftOut();
  }

  /** Returns why an interaction is left out by default; undefined if it is not. May change until {@link choose}. */
  reasonOf(index: number): LeftOutReason | undefined {
    return this.#chosen ? this.#chosen.get(index)?.reason : this.#delivery.leftOut(index);
  }

  /** Makes the choice final, because an export with it was settled. */
  settle(): void {
    if (this.#chosen) this.#isFinal = true;
  }

  /** Forgets a choice that no settled export has, so that the next export decides anew. */
  forget(): void {
    if (!this.#isFinal) this.#chosen = undefined;
  }

  /** The final choice, to be stored. */
  get stored(): readonly LeftOutInteraction[] | undefined {
    return this.#isFinal && this.#chosen ? [...this.#chosen.values()] : undefined;
  }

  clear(): void {
    this.#chosen = undefined;
  }
}

function byIndex(leftOut: readonly LeftOutInteraction[]): ReadonlyMap<number, LeftOutInteraction> {
  return leftOut.length === 0 ? NONE : new Map(leftOut.map((each) => [each.index, each]));
}
