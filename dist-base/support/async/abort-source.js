export {};
//# sourceMappingURL=abort-source.js.map