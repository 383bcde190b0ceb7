import type { Deadline } from "../../../support/async/deadline.js";
import type { GenerateCall, GenerateResult } from "../../engine.js";
import type { PauseHold } from "../pause/pause-hold.js";
import type { ServerPool } from "../pool/server-pool.js";
/**
 * Runs one call, with one more request after each weight update that cuts it. The next request continues from prompt and
 * partial output with the rest of the token budget, on another server if the first one is drained.
 *
 * Servers apply penalties to the output of one request. Tokens before a cut are prompt for the next request, so
 * penalties ignore them.
 *
 * @param deadline time limit of the whole call. It also aborts with the caller's signal.
 */
export declare function generateOnServers(pool: ServerPool, hold: PauseHold, call: GenerateCall, deadline: Deadline): Promise<GenerateResult>;
