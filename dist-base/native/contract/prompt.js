export {};
//# sourceMappingURL=prompt.js.map