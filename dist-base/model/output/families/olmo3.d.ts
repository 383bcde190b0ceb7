import type { Step } from "../reader/reader.js";
import { type CallContext } from "../syntax/call-syntax.js";
/**
 * Olmo 3: Python calls between tags, one a line. The template writes values as JSON, models also as Python literals.
 * Source: the models' chat templates.
 */
export declare const olmo3: {
    readonly name: "olmo3";
    readonly calls: {
        readonly docs: {
            readonly models: "Olmo 3";
            readonly call: '`<function_calls>f(a=1, b="x")</function_calls>`, a call a line';
            readonly arguments: "Python";
        };
        readonly detection: {
            readonly template: readonly [string];
        };
        readonly syntax: {
            readonly markers: readonly [string, string];
            readonly read: typeof read;
        };
        readonly structure: {
            readonly trigger: string;
            readonly section: {
                begin: string;
                end: string;
            };
            readonly list: {
                readonly separator: "\n";
            };
            readonly describeCall: (tool: import("../../../conversation/message.js").Tool) => import("../structure/format.js").TagFormat;
        };
    };
};
declare function read(context: CallContext): Step<void>;
export {};
