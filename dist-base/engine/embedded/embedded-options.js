export const DEFAULT_CONTEXT_SIZE = 16_384;
export const DEFAULT_SEQUENCES = 8;
//# sourceMappingURL=embedded-options.js.map