/**
 * How long a call may wait for others to share it: a small part of what an episode takes, so that it costs little time. A
 * worker of many short episodes sends a fraction of the calls.
 */
export declare class EpisodePace {
    #private;
    /** Notes how long an episode took. */
    note(milliseconds: number): void;
    /** Returns a part of the mean duration, in milliseconds. */
    pause(part: number): number;
}
