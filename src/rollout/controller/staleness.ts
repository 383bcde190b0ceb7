import { describe } from "../describe.js";
import { ControllerError } from "./errors.js";

/** How far rollouts may run ahead. A rollout is one task: one episode, or a group of them. */
export interface StalenessLimits {
  /** Rollouts at once. */
  readonly maxConcurrentRollouts: number;
  /** Weight versions that a rollout may be behind when the trainer consumes it. */
  readonly maxStaleness: number;
  /** Rollouts that the trainer consumes for one version. */
  readonly consumerBatchSize: number;
}

/**
 * Counts rollouts and says how many more may start:
 *
 * free = min(maxConcurrent − running, (maxStaleness + version + 1) × batchSize − (accepted + running))
 *
 * No more have begun by then than the trainer consumes until `version + maxStaleness`. Who takes the oldest first, one
 * batch for each version, consumes none later.
 */
export class StalenessControl {
  readonly #limits: StalenessLimits;
  #version: number;
  #running = 0;
  #accepted: number;
  #rejected = 0;

  /** @param version from which training goes on: the batches of all versions before it were consumed */
  constructor(limits: StalenessLimits, version = 0) {
    assertWhole("maxConcurrentRollouts", limits.maxConcurrentRollouts, 1);
    assertWhole("maxStaleness", limits.maxStaleness, 0);
    assertWhole("consumerBatchSize", limits.consumerBatchSize, 1);
    assertWhole("version", version, 0);
    this.#limits = limits;
    this.#version = version;
    this.#accepted = version * limits.consumerBatchSize;
  }

  get version(): number {
    return this.#version;
  }

  get running(): number {
    return this.#running;
  }

  /** With those that were consumed before a restart. */
  get accepted(): number {
    return this.#accepted;
  }

  get rejected(): number {
    return this.#rejected;
  }

  /** Rollouts that may start now; never below 0. */
  get freeSlots(): number {
    const { maxConcurrentRollouts, maxStaleness, consumerBatchSize } = this.#limits;
    const ahead = (maxStaleness + this.#version + 1) * consumerBatchSize - (this.#accepted + this.#running);
    return Math.max(0, Math.min(maxConcurrentRollouts - this.#running, ahead));
  }

  start(): void {
    this.#running++;
  }

  /** A rollout that ran has ended; one that is rejected makes room for another. */
  end(outcome: "accepted" | "rejected"): void {
    this.#running--;
    if (outcome === "accepted") this.#accepted++;
    else this.#rejected++;
  }

  /** Rollouts that were accepted and never reached the trainer: they count as rejected, and make room. */
  lose(rollouts: number): void {
    this.#accepted -= rollouts;
    this.#rejected += rollouts;
  }

  setVersion(version: number): void {
    this.assertNext(version);
    this.#version = version;
  }

  /** Throws where the version may not follow the one that stands. */
  assertNext(version: number): void {
    assertWhole("version", version, 0);
    if (version < this.#version) {
      throw new ControllerError("version_went_back", `Version ${version} is below ${this.#version}, which stands.`);
    }
  }
}

function assertWhole(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new ControllerError(
    "invalid_option",
    `${name} must be a whole number of at least ${least}, not ${describe(value)}.`,
  );
}

/** Plain JavaScript gives anything. */
export function assertLimits(options: unknown): void {
  if (typeof options === "object" && options !== null) return;
  const expected = "an object with maxConcurrentRollouts, maxStaleness and consumerBatchSize";
  throw new ControllerError("invalid_option", `options must be ${expected}, not ${describe(options)}.`);
}
