import type { WholeStructure } from "./whole-structure.js";
/**
 * The structure of gpt-oss's outputs: messages, of which only the last is a call or the answer, since the end of a call ends
 * the output. Source: OpenAI's harmony response format.
 *
 * Engines end an output at `<|return|>` and perhaps at `<|call|>`. A token that ends an output is no text for a grammar, so
 * `<|call|>` is optional.
 */
export declare const harmonyStructure: WholeStructure;
