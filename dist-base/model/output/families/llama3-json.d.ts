import type { Step } from "../reader/reader.js";
import { type CallContext } from "../syntax/call-syntax.js";
/**
 * Llama 3: JSON objects at the start of the text or after `<|python_tag|>`. Without the tag an object is a call only
 * if its first key names a tool of the request: it may as well be an answer in JSON. Sources: Meta's prompt formats;
 * the models' chat templates.
 */
export declare const llama3Json: {
    readonly name: "llama3_json";
    readonly calls: {
        readonly docs: {
            readonly models: "Llama 3.1 and 3.3";
            readonly call: '`{"name": …, "parameters": {…}}`, or after `<|python_tag|>`; several with `;` or `,`, or in a list';
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly ["{\"name\": function name, \"parameters\":"];
            readonly isShared: true;
        };
        readonly syntax: {
            readonly markers: readonly ["<|python_tag|>"];
            readonly read: typeof read;
        };
        readonly structure: {
            readonly list: {
                readonly separator: "; ";
            };
            readonly describeCall: (tool: import("../../../conversation/message.js").Tool) => import("../structure/format.js").TagFormat;
        };
    };
};
declare function read(context: CallContext): Step<void>;
export {};
