import type { Step } from "../reader/reader.js";
import { describePythonCall } from "../structure/python-call.js";
import { type CallContext } from "../syntax/call-syntax.js";
/**
 * Llama 3.2 and 4: a Python list of calls at the start of the text, perhaps between markers. A list consists of calls
 * only if its first item names a tool of the request. Source: Meta's prompt formats.
 */
export declare const pythonic: {
    readonly name: "pythonic";
    readonly calls: {
        readonly docs: {
            readonly models: "Llama 3.2 and 4";
            readonly call: '`[f(a=1, b="x"), g()]`';
            readonly arguments: "Python";
        };
        readonly detection: {
            readonly template: readonly ["func_name1(param"];
        };
        readonly syntax: {
            readonly markers: readonly ["<|python_start|>", "<|python_end|>"];
            readonly read: typeof read;
        };
        readonly structure: {
            readonly section: {
                readonly begin: "[";
                readonly end: "]";
            };
            readonly list: {
                readonly separator: ", ";
            };
            readonly describeCall: typeof describePythonCall;
        };
    };
};
declare function read(context: CallContext): Step<void>;
export {};
