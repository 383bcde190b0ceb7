/** Qwen3 sometimes calls a tool without ending its reasoning. Source: the models' chat templates. */
export declare const qwen3: {
    readonly name: "qwen3";
    readonly reasoning: {
        readonly docs: "`<think>` and `</think>`; a call ends it";
        readonly block: {
            readonly begin: "<think>";
            readonly end: "</think>";
            readonly endsAtCalls: true;
        };
    };
};
