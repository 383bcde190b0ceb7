/** Kimi-VL and Kimi-Dev. Source: the models' chat templates. */
export declare const kimi: {
    readonly name: "kimi";
    readonly reasoning: {
        readonly docs: "`◁think▷` and `◁/think▷`";
        readonly detection: {
            readonly markers: readonly ["◁think▷"];
        };
        readonly block: {
            readonly begin: "◁think▷";
            readonly end: "◁/think▷";
        };
    };
};
