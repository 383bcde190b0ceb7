import type { Config } from "../config/index.js";
import type { Engine } from "../engine/engine.js";
/** A problem of one engine server. */
export interface NotReady {
    /** The configuration key at fault. */
    readonly key: string;
    readonly message: string;
}
/** The result of asking the servers of an engine whether they can serve calls. */
export interface EngineReadiness {
    /** One for each server that cannot serve calls. */
    readonly problems: readonly NotReady[];
    /** One for each healthy server that did not report its model in time. It is probably busy. */
    readonly warnings: readonly NotReady[];
    /** True if no server can serve calls. */
    readonly none: boolean;
}
/** Asks the servers of an engine whether they can serve calls. The embedded engine has no servers, and so no problems. */
export declare function engineReadiness({ servers }: Engine, config: Config): Promise<EngineReadiness>;
/** Asks the engine servers of a configuration, without starting a proxy. The embedded engine has no problems. */
export declare function configuredReadiness(config: Config): Promise<EngineReadiness>;
