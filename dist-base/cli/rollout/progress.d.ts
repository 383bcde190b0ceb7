import type { SampledTokens } from "./sampled-tokens.js";
import type { RolloutScreen } from "./screen.js";
import type { RolloutTally } from "./tally.js";
/**
 * Shows the progress of a job on standard error. On a terminal it is a bar; otherwise it is a line every five seconds and
 * one at the end.
 */
export declare class RolloutProgress {
    #private;
    /** @param total number of episodes */
    constructor(total: number, tally: RolloutTally, tokens: SampledTokens, screen: RolloutScreen);
    /** Shows the final numbers and closes the display. Later calls have no effect. */
    stop(): Promise<void>;
}
