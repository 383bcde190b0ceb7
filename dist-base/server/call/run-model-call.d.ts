import type { ServerContext } from "../context.js";
import type { CallRecord, ModelCall } from "./model-call.js";
/**
 * Runs a model call: builds the prompt, has the engine generate, records an interaction for each choice. A call has one choice,
 * unless it asks for more.
 *
 * The call is recorded once all its generations are complete, if the client is still connected. A call that fails at any step is
 * only counted.
 *
 * @returns one record per choice
 */
export declare function runModelCall(context: ServerContext, call: ModelCall): Promise<readonly CallRecord[]>;
