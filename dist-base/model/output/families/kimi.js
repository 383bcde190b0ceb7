const BEGIN = "◁think▷";
/** Kimi-VL and Kimi-Dev. Source: the models' chat templates. */
export const kimi = {
    name: "kimi",
    reasoning: {
        docs: "`◁think▷` and `◁/think▷`",
        detection: { markers: [BEGIN] },
        block: { begin: BEGIN, end: "◁/think▷" },
    },
};
//# sourceMappingURL=kimi.js.map