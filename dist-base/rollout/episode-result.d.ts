import type { EpisodeOptions, EpisodeResult, RolloutEngine, RolloutWorkflow } from "./contract.js";
/** Runs a workflow, which may be user code. If it throws or returns an invalid result, its episode is rejected. */
export declare function runWorkflow<Data>(workflow: RolloutWorkflow<Data>, engine: RolloutEngine, data: Data, options: EpisodeOptions): Promise<EpisodeResult>;
