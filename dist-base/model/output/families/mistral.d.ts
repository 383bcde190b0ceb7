import type { Step } from "../reader/reader.js";
import { type CallStructure } from "../structure/call-structure.js";
import { type CallContext } from "../syntax/call-syntax.js";
/** Mistral: a list of calls, from tokenizer v11 on single calls. Source: mistral-common's tokenizers. */
export declare const mistral: {
    readonly name: "mistral";
    readonly calls: {
        readonly docs: {
            readonly models: "Mistral";
            readonly call: "`[TOOL_CALLS][{…}]` and `[TOOL_CALLS]NAME[ARGS]{…}`";
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly ["[TOOL_CALLS]"];
        };
        readonly syntax: {
            readonly markers: readonly ["[TOOL_CALLS]", "[ARGS]", "[CALL_ID]"];
            readonly read: typeof read;
        };
        readonly structure: (has: import("../family.js").HasMarker) => CallStructure;
    };
    readonly reasoning: {
        readonly docs: "`[THINK]` and `[/THINK]`";
        readonly detection: {
            readonly markers: readonly [string];
        };
        readonly block: {
            begin: string;
            end: string;
        };
    };
};
declare function read(context: CallContext): Step<void>;
export {};
