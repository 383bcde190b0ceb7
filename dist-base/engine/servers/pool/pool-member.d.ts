import type { EngineServerState } from "../../engine.js";
import type { EngineServer } from "../engine-server.js";
import { HealthMonitor } from "./health-monitor.js";
import { ServerPlaces } from "./server-places.js";
import { ServerTally } from "./server-tally.js";
export interface PoolMemberOptions {
    /** Requests that may run at once. */
    readonly maxInflight: number;
    /** Interval between two health checks; 0 for none. */
    readonly intervalMilliseconds: number;
}
/** One server of a pool: its places, its health, and its requests and their outcomes. */
export declare class PoolMember {
    #private;
    readonly server: EngineServer;
    /** Requests wait here for a free place. */
    readonly places: ServerPlaces;
    readonly monitor: HealthMonitor;
    readonly tally: ServerTally;
    /** The server gets no more requests. */
    draining: boolean;
    constructor(server: EngineServer, { maxInflight, intervalMilliseconds }: PoolMemberOptions);
    get state(): EngineServerState;
    /** Counts a request, from the moment that it waits for a place. */
    enter(): void;
    leave(): void;
    /** Notes that the server has sent a part of a reply, or may start to work. */
    noteProgress(): void;
    /** Resolves when the server has no requests. Rejects with the signal's reason if the signal aborts first. */
    waitIdle(signal?: AbortSignal): Promise<void>;
    /** Checks the server now, independent of the monitor. A failure counts only if the state was unknown. */
    checkNow(signal?: AbortSignal): Promise<void>;
}
