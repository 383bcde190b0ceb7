import type { AdminClient } from "../client/admin-client.js";
import type { ConnectionPool } from "../client/connection-pool.js";
import type { AcceptedEpisode, Agent, EpisodeExportOptions, EpisodeOptions } from "./contract.js";
export interface EpisodeSettings extends EpisodeExportOptions, Omit<EpisodeOptions, "signal"> {
    readonly admin: AdminClient;
    /** Address of the proxy. The agent receives it, or the address of the session's worker. */
    readonly url: string;
    readonly connections: ConnectionPool;
    /** Signal of the episode. Aborts with the caller's signal, or when the episode exceeds its time. */
    readonly signal: AbortSignal;
}
/** One run of an agent: its session, rewards and export. */
export declare class Episode {
    #private;
    constructor(settings: EpisodeSettings);
    /** Undefined until the session is started. */
    get sessionId(): string | undefined;
    /**
     * Grants capacity, starts the session, runs the agent, sets its rewards, ends the session and exports it.
     *
     * @throws Rejection if the episode gives no trajectory. The caller must then {@link discard} it.
     */
    run<Data>(agent: Agent<Data>, data: Data): Promise<AcceptedEpisode>;
    /** Ends the session, and frees its data unless the caller keeps it. In any state. */
    discard(): Promise<void>;
}
