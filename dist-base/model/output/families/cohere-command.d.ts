import type { Step } from "../reader/reader.js";
import type { CallContext } from "../syntax/call-syntax.js";
/**
 * Cohere's Command 3 and 4: every part of an answer stands between markers. The model's call ids are not kept, because
 * the chat templates number the calls anew. Sources: the models' chat templates; Cohere's melody.
 */
export declare const cohereCommand: {
    readonly name: "cohere_command";
    readonly calls: {
        readonly docs: {
            readonly models: "Command R7B, Command A, North";
            readonly call: `\`${string}[{"tool_call_id": "0", "tool_name": …, "parameters": {…}}]${string}\``;
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly [string];
        };
        readonly syntax: {
            readonly markers: readonly [string, string, ...string[]];
            readonly read: (context: CallContext) => Step<void>;
            readonly textOnly: {
                readonly markers: string[];
                readonly read: (context: CallContext) => Step<void>;
            };
        };
        readonly structure: {
            readonly trigger: string;
            readonly section: {
                readonly begin: `${string}[
    `;
                readonly end: `
]${string}`;
            };
            readonly list: {
                readonly separator: ",\n    ";
            };
            readonly describeCall: (tool: import("../../../conversation/message.js").Tool) => import("../structure/format.js").TagFormat;
        };
    };
    readonly reasoning: {
        readonly docs: `\`${string}\` and \`${string}\`; a call ends it`;
        readonly detection: {
            readonly markers: readonly [string];
        };
        readonly block: {
            readonly begin: string;
            readonly end: string;
            readonly endsAtCalls: true;
        };
    };
};
