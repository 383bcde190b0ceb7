import type { Tool } from "../../../conversation/message.js";
import type { Step } from "../reader/reader.js";
import type { CallContext } from "../syntax/call-syntax.js";
/**
 * MiniMax-M3: calls in elements that are named after the parameters, with nested elements for lists and objects. Source:
 * the model's chat template.
 */
export declare const minimaxM3: {
    readonly name: "minimax_m3";
    readonly calls: {
        readonly docs: {
            readonly models: "MiniMax-M3";
            readonly call: `\`${string}\` and \`${string}NAME">\` with an element for each argument`;
            readonly arguments: "text or JSON";
        };
        readonly detection: {
            readonly template: readonly ["]<]minimax[>["];
            readonly modelTypes: readonly ["minimax_m3"];
        };
        readonly syntax: {
            readonly markers: readonly string[];
            readonly read: (context: CallContext) => Step<void>;
            readonly textOnly?: Pick<import("../syntax/call-syntax.js").CallSyntax, "markers" | "read">;
            readonly markerParts: readonly ["]<]minimax[>[", string, string];
        };
        readonly structure: {
            readonly trigger: string;
            readonly section: {
                readonly begin: `${string}
`;
                readonly end: `
${string}`;
            };
            readonly list: {
                readonly separator: "\n";
            };
            readonly describeCall: (tool: Tool) => import("../structure/format.js").TagFormat;
        };
    };
    readonly reasoning: {
        readonly docs: "`<mm:think>` and `</mm:think>`, or only `</mm:think>`; a call ends it";
        readonly detection: {
            readonly markers: readonly ["<mm:think>"];
        };
        readonly block: {
            readonly begin: "<mm:think>";
            readonly end: "</mm:think>";
            readonly mayOnlyEnd: true;
            readonly endsAtCalls: true;
        };
    };
};
