import type { Tool } from "../../conversation/message.js";
import { type CustomTool } from "./tools.js";
/**
 * Deferred tools: tools that the prompt does not list before the conversation refers to them. As in Anthropic's API, a
 * reference is replaced by the tool's definition, so the prompt's beginning stays the same. The form is the one that Claude
 * Code describes to the model.
 */
export declare class ToolLoading {
    #private;
    constructor(declared: readonly CustomTool[]);
    /** The tools whose definition the messages contain. */
    get loaded(): Tool[];
    /** Declares a tool that a message defines. */
    define(tool: CustomTool): void;
    /**
     * Returns the definitions of tools as text. A definition is written once: a request with many references to a long one
     * would otherwise need far more memory than its body.
     *
     * @throws RequestError if the request does not declare one of them
     */
    describe(names: readonly string[]): string;
}
