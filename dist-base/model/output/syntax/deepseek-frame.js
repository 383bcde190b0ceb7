const SECTION = { begin: "<｜tool▁calls▁begin｜>", end: "<｜tool▁calls▁end｜>" };
/** The markers of DeepSeek V3 to V3.1. The versions differ in the text between them. */
export const DEEPSEEK_CALL = {
    begin: "<｜tool▁call▁begin｜>",
    separator: "<｜tool▁sep｜>",
    end: "<｜tool▁call▁end｜>",
};
export const DEEPSEEK_FRAME = {
    section: SECTION,
    begin: DEEPSEEK_CALL.begin,
    end: DEEPSEEK_CALL.end,
    inner: [DEEPSEEK_CALL.separator],
};
/** The part of the structure that the versions share. */
export const DEEPSEEK_SECTION = { trigger: SECTION.begin, section: SECTION };
//# sourceMappingURL=deepseek-frame.js.map