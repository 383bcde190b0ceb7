import { type ServerUpdate } from "../../engine.js";
import type { ServerPool } from "../pool/server-pool.js";
import type { ServerOptions } from "../server-options.js";
import type { PauseControl } from "./pause-control.js";
/** Returns the steps of a weight update on the servers of a pool. */
export declare function createServerUpdate(pool: ServerPool, control: PauseControl, { weightsTimeoutSeconds }: Pick<ServerOptions, "weightsTimeoutSeconds">): ServerUpdate;
