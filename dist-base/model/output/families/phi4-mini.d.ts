import { type CallStructure } from "../structure/call-structure.js";
/**
 * Phi-4-mini: a JSON list, after a word or between the model's own tokens, depending on what the prompt asks for.
 * Sources: the model card; the chat templates with which engines serve the model.
 *
 * The model's own template shows tools in `<|tool|>`, but no calls.
 */
export declare const phi4Mini: {
    readonly name: "phi4_mini";
    readonly calls: {
        readonly docs: {
            readonly models: "Phi-4-mini";
            readonly call: '`functools[{"name": …, "arguments": {…}}]`, or the list between `<|tool_call|>` and `<|/tool_call|>`';
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly ["functools["];
            readonly otherTemplate: readonly ["<|/tool|>"];
        };
        readonly syntax: import("../syntax/call-syntax.js").CallSyntax;
        readonly structure: (has: import("../family.js").HasMarker) => CallStructure;
    };
};
