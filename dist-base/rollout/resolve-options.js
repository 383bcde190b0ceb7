export {};
//# sourceMappingURL=resolve-options.js.map