import type { EpisodeOptions, EpisodeResult, RolloutEngine, RolloutWorkflow } from "./contract.js";
export interface GroupedWorkflowOptions {
    /**
     * True (default): as soon as one member of a group is rejected, the others are aborted, and the group gives no
     * trajectory. False: the accepted members are kept.
     */
    readonly dropIncompleteGroup?: boolean | undefined;
}
/** Runs a workflow several times on the same data. The sessions share a `group_id`. */
export declare class GroupedWorkflow<Data = unknown> implements RolloutWorkflow<Data> {
    #private;
    readonly workflow: RolloutWorkflow<Data>;
    readonly groupSize: number;
    constructor(workflow: RolloutWorkflow<Data>, groupSize: number, options?: GroupedWorkflowOptions);
    /** Resolves when every member has ended. The result lists members in the order of their start. */
    arunEpisode(engine: RolloutEngine, data: Data, options?: EpisodeOptions): Promise<EpisodeResult>;
}
