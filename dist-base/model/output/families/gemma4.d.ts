import type { Tool } from "../../../conversation/message.js";
/**
 * Gemma 4: keys without quotes, strings between quote tokens, and a thought channel. Sources: the model's chat template;
 * Google's prompt format.
 */
export declare const gemma4: {
    readonly name: "gemma4";
    readonly calls: {
        readonly docs: {
            readonly models: "Gemma 4";
            readonly call: `\`${string}call:NAME{KEY:<|"|>…<|"|>,…}${string}\``;
            readonly arguments: "marked text";
        };
        readonly detection: {
            readonly template: readonly [`${string}call:`];
            readonly modelTypes: readonly ["gemma4"];
        };
        readonly syntax: import("../syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: string;
            readonly list: {
                readonly opener: string;
            };
            readonly describeCall: (tool: Tool) => import("../structure/format.js").TagFormat;
        };
    };
    readonly reasoning: {
        readonly docs: "the `thought` channel; a call ends it";
        readonly detection: {
            readonly markers: readonly ["<|channel>"];
        };
        readonly block: {
            readonly begin: "<|channel>";
            readonly end: "<channel|>";
            readonly label: "thought\n";
            readonly endsAtCalls: true;
        };
    };
};
