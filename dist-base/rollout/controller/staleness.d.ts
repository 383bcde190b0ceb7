/**
 * Limits on how far rollouts may run ahead of the trainer. A rollout is one task: one episode, or a group of episodes.
 */
export interface StalenessLimits {
    /** Maximum number of concurrent rollouts. */
    readonly maxConcurrentRollouts: number;
    /** Maximum number of weight versions that a rollout may be behind when the trainer consumes it. */
    readonly maxStaleness: number;
    /** Number of rollouts that the trainer consumes per version. */
    readonly consumerBatchSize: number;
}
/**
 * Counts rollouts and limits how many more may start:
 *
 * free = min(maxConcurrent − running, (maxStaleness + version + 1) × batchSize − (accepted + running))
 *
 * So at most as many rollouts begin as the trainer consumes until version `version + maxStaleness`. If the trainer
 * takes the oldest first, one batch per version, no rollout is staler than `maxStaleness`.
 */
export declare class StalenessControl {
    #private;
    /** @param version version at the start. The batches of all earlier versions count as consumed */
    constructor(limits: StalenessLimits, version?: number);
    get version(): number;
    get running(): number;
    /** Accepted rollouts, including those consumed before a restart. */
    get accepted(): number;
    get rejected(): number;
    /** Number of rollouts that may start now, at least 0. */
    get freeSlots(): number;
    start(): void;
    /** Notes the end of a rollout. A rejected one makes room for another. */
    end(outcome: "accepted" | "rejected"): void;
    /** Counts accepted rollouts that did not reach the trainer as rejected, or as not begun. They make room for others. */
    lose(rollouts: number, then?: "rejected" | "to run again"): void;
    /**
     * Notes that the trainer took a batch and raises the version by `versions`, if that is not 1. Without this, the limit would
     * stall while the version stays the same, and run far ahead of the trainer when the version jumps.
     */
    noteStep(versions: number): void;
    setVersion(version: number): void;
    /** @throws ControllerError if the version is lower than the current one */
    assertNext(version: number): void;
}
/** The options may be anything if the caller has no types. */
export declare function assertLimits(options: unknown): void;
