import { type WeightsStatus } from "../../client/weight-calls.js";
/** Options of `rolltape weights`. */
export interface WeightsCommandOptions {
    readonly version?: number;
    readonly external?: boolean;
    readonly finish?: boolean;
    readonly giveUp?: boolean;
    readonly status?: boolean;
    readonly exclude?: readonly string[];
    readonly json?: boolean;
}
/** `rolltape weights`: loads new weights into the engine of a proxy or gateway, and shows the progress. */
export declare function weights(url: string, path: string | undefined, options: WeightsCommandOptions): Promise<void>;
/** Returns what the command prints at its end. */
export declare function describeWeights({ state, version, targetVersion, pausedSeconds, error, servers, }: WeightsStatus): string;
