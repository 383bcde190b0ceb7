export {};
//# sourceMappingURL=vllm-options.js.map