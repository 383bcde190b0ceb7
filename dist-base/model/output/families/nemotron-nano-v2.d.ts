/** Nemotron Nano v2 and the Llama-Nemotron models: a JSON list between tags. Source: the models' chat templates. */
export declare const nemotronNanoV2: {
    readonly name: "nemotron_nano_v2";
    readonly calls: {
        readonly docs: {
            readonly models: "Nemotron Nano v2, Llama-Nemotron";
            readonly call: '`<TOOLCALL>[{"name": …, "arguments": {…}}]</TOOLCALL>`';
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly [string];
        };
        readonly syntax: import("../syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: string;
            readonly section: {
                readonly begin: `${string}[`;
                readonly end: `]${string}`;
            };
            readonly list: {
                readonly separator: ", ";
            };
            readonly describeCall: (tool: import("../../../conversation/message.js").Tool) => import("../structure/format.js").TagFormat;
        };
    };
};
