export {};
//# sourceMappingURL=sglang-options.js.map