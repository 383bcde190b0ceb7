/** Tracks a group, so that it is killed when this process exits. Its leader was started with `detached`. */
export declare function trackGroup(leader: number): void;
/** Stops tracking a group. Returns true if it was tracked until now. */
export declare function forgetGroup(leader: number): boolean;
/**
 * Kills every process of a tracked group, including those that its leader left behind. A second call does nothing,
 * because the id of a group that has ended may belong to another group.
 */
export declare function killGroup(leader: number): void;
/** Signals every process of a group. */
export declare function signalGroup(leader: number, signal: NodeJS.Signals): void;
