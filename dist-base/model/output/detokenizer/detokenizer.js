export {};
//# sourceMappingURL=detokenizer.js.map