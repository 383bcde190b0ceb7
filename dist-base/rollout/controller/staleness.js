import { describe } from "../describe.js";
import { ControllerError } from "./errors.js";
/**
 * Counts rollouts and limits how many more may start:
 *
 * free = min(maxConcurrent − running, (maxStaleness + version + 1) × batchSize − (accepted + running))
 *
 * So at most as many rollouts begin as the trainer consumes until version `version + maxStaleness`. If the trainer
 * takes the oldest first, one batch per version, no rollout is staler than `maxStaleness`.
 */
export class StalenessControl {
    #limits;
    #version;
    #running = 0;
    #accepted;
    #rejected = 0;
    /** Additional rollouts that may start, because the trainer took batches without a new version. */
    #extra = 0;
    /** @param version version at the start. The batches of all earlier versions count as consumed */
    constructor(limits, version = 0) {
        assertWhole("maxConcurrentRollouts", limits.maxConcurrentRollouts, 1);
        assertWhole("maxStaleness", limits.maxStaleness, 0);
        assertWhole("consumerBatchSize", limits.consumerBatchSize, 1);
        assertWhole("version", version, 0);
        this.#limits = limits;
        this.#version = version;
        this.#accepted = version * limits.consumerBatchSize;
    }
    get version() {
        return this.#version;
    }
    get running() {
        return this.#running;
    }
    /** Accepted rollouts, including those consumed before a restart. */
    get accepted() {
        return this.#accepted;
    }
    get rejected() {
        return this.#rejected;
    }
    /** Number of rollouts that may start now, at least 0. */
    get freeSlots() {
        const { maxConcurrentRollouts, maxStaleness, consumerBatchSize } = this.#limits;
        const limit = (maxStaleness + this.#version + 1) * consumerBatchSize + this.#extra;
        const ahead = limit - (this.#accepted + this.#running);
        return Math.max(0, Math.min(maxConcurrentRollouts - this.#running, ahead));
    }
    start() {
        this.#running++;
    }
    /** Notes the end of a rollout. A rejected one makes room for another. */
    end(outcome) {
        this.#running--;
        if (outcome === "accepted")
            this.#accepted++;
        else
            this.#rejected++;
    }
    /** Counts accepted rollouts that did not reach the trainer as rejected, or as not begun. They make room for others. */
    lose(rollouts, then = "rejected") {
        this.#accepted -= rollouts;
        if (then === "rejected")
            this.#rejected += rollouts;
    }
    /**
     * Notes that the trainer took a batch and raises the version by `versions`, if that is not 1. Without this, the limit would
     * stall while the version stays the same, and run far ahead of the trainer when the version jumps.
     */
    noteStep(versions) {
        this.#extra += (1 - versions) * this.#limits.consumerBatchSize;
    }
    setVersion(version) {
        this.assertNext(version);
        this.#version = version;
    }
    /** @throws ControllerError if the version is lower than the current one */
    assertNext(version) {
        assertWhole("version", version, 0);
        if (version < this.#version) {
            const message = `version must be at least the current version ${this.#version}; received ${version}.`;
            throw new ControllerError("version_went_back", message);
        }
    }
}
function assertWhole(name, value, least) {
    if (Number.isSafeInteger(value) && value >= least)
        return;
    throw new ControllerError("invalid_option", `${name} must be an integer of at least ${least}; received ${describe(value)}.`);
}
/** The options may be anything if the caller has no types. */
export function assertLimits(options) {
    if (typeof options === "object" && options !== null)
        return;
    const expected = "an object with maxConcurrentRollouts, maxStaleness and consumerBatchSize";
    throw new ControllerError("invalid_option", `options must be ${expected}; received ${describe(options)}.`);
}
//# sourceMappingURL=staleness.js.map