import type { Step } from "../reader/reader.js";
import { type CallContext } from "../syntax/call-syntax.js";
import type { OutputSyntaxOptions } from "../syntax/output-syntax.js";
/**
 * Kimi K3: an answer consists of elements `<|open|>NAME ATTRIBUTES<|sep|>…<|close|>NAME<|sep|>`: `think`, `response`,
 * and `tools` with a `call` for each call and an `argument` for each argument, which says its type. Source: the model's
 * chat template.
 */
export declare const kimiK3: {
    readonly name: "kimi_k3";
    readonly output: {
        readonly markers: string[];
        readonly read: typeof read;
    };
    readonly structure: import("../structure/whole-structure.js").WholeStructure;
    readonly calls: {
        readonly docs: {
            readonly models: "Kimi K3";
            readonly call: '`<|open|>call tool="NAME" index="1"<|sep|>` with an `argument` element for each argument';
            readonly arguments: "marked text";
        };
        readonly detection: {
            readonly template: string[];
        };
    };
    readonly reasoning: {
        readonly docs: "the `think` element";
    };
};
declare function read(context: CallContext, options: OutputSyntaxOptions): Step<void>;
export {};
