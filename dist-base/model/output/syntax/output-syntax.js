export {};
//# sourceMappingURL=output-syntax.js.map