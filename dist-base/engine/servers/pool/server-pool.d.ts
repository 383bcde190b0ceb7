import { type EngineServerState, type ServerReadiness } from "../../engine.js";
import type { EngineServer } from "../engine-server.js";
import { ServerRoute } from "./server-route.js";
export interface ServerPoolOptions {
    /** Requests that may run at once on each server. */
    readonly maxInflight: number;
    /** Interval between two health checks of a server, if there are several servers; 0 for none. */
    readonly healthMilliseconds: number;
}
/**
 * The servers of an engine. All requests with one key go to the same server, because it has the prompt's prefix in its
 * cache: the first server in the key's rendezvous order that is up. If it does not begin with a request, the next gets it.
 */
export declare class ServerPool {
    #private;
    constructor(servers: readonly EngineServer[], { maxInflight, healthMilliseconds }: ServerPoolOptions);
    get servers(): EngineServer[];
    list(): EngineServerState[];
    /** Returns the servers to which one request of the key may go. */
    route(key: string): ServerRoute;
    /**
     * Asks every server a question that a call waits for. An unreachable server counts as down, like after a request. If no
     * server answers, the failure is counted on each.
     */
    ask<T>(question: (server: EngineServer) => Promise<T>): Promise<PromiseSettledResult<T>[]>;
    drain(url: string, signal?: AbortSignal): Promise<void>;
    restore(url: string): void;
    /** Reports that the server answered a control request. */
    reportReached(url: string): void;
    /** Stops health checks, because the servers are paused on purpose. */
    suspendChecks(): void;
    /** Assumes that every server is healthy, and checks them again. */
    restartChecks(): void;
    /** Resolves if at least one server takes requests, and immediately while checks are suspended. */
    health(signal?: AbortSignal): Promise<void>;
    /** Checks whether each server that is not being drained can serve calls; never rejects. */
    readiness(question: (server: EngineServer) => Promise<void>, signal: AbortSignal): Promise<ServerReadiness[]>;
    close(): Promise<void>;
}
