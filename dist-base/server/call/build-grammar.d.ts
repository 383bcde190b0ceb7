import type { Grammar } from "../../engine/engine.js";
import type { ServerContext } from "../context.js";
import type { BuiltPrompt } from "./build-prompt.js";
import type { ModelCall } from "./model-call.js";
/**
 * Builds the grammar that a request needs, for structured output, a required call, at most one call, or strict tools.
 *
 * A request is refused if the engine cannot enforce what it asks for. Strict tools are an exception, because SDKs set
 * `strict` by themselves: they are reported as not enforced, as they are if the configuration does not enforce them.
 *
 * @returns undefined if the request needs no grammar
 */
export declare function buildGrammar({ engine, model, settings }: ServerContext, { request, onUnenforced }: ModelCall, { decodeEnd }: BuiltPrompt): Grammar | undefined;
