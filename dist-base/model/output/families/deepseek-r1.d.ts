/** DeepSeek R1 always reasons, and its first templates did not begin the reasoning in the prompt. */
export declare const deepseekR1: {
    readonly name: "deepseek_r1";
    readonly reasoning: {
        readonly docs: "`<think>` and `</think>`; begun without a marker unless the prompt has ended it";
        readonly block: {
            readonly begin: "<think>";
            readonly end: "</think>";
            readonly isForced: true;
        };
    };
};
