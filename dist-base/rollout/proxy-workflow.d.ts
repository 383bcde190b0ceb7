import type { Agent, EpisodeExportOptions, EpisodeOptions, EpisodeResult, RolloutEngine, RolloutWorkflow } from "./contract.js";
export interface ProxyWorkflowOptions extends EpisodeExportOptions {
    /** Address of the proxy. Default: that of the engine. */
    readonly proxyUrl?: string | undefined;
    /** Maximum seconds of an episode, which is then rejected with `episode_timeout`. Default: no limit. */
    readonly timeoutSeconds?: number | undefined;
}
/**
 * Runs an agent whose model calls go through a proxy, with one session per episode. The session ends in every case. The
 * data of a rejected episode is freed.
 */
export declare class ProxyWorkflow<Data = unknown> implements RolloutWorkflow<Data> {
    #private;
    readonly agent: Agent<Data>;
    /** @throws WorkflowError `invalid_option` if an option is out of its range */
    constructor(agent: Agent<Data>, options?: ProxyWorkflowOptions);
    arunEpisode(engine: RolloutEngine, data: Data, options?: EpisodeOptions): Promise<EpisodeResult>;
}
