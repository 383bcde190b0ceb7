import { type Engine } from "../engine.js";
import type { EmbeddedOptions } from "./embedded-options.js";
/**
 * Creates an engine that runs llama.cpp in this process, through node-llama-cpp.
 *
 * The same seed, prompt and sampling parameters give the same ids again, except for rounding: the last bits of
 * llama.cpp's results depend on the other calls in the batch.
 *
 * @throws EngineError engine_unavailable if node-llama-cpp is not installed
 * @throws RangeError if an option is out of range
 */
export declare function createEmbeddedEngine(options?: EmbeddedOptions): Promise<Engine>;
