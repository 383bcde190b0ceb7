export {};
//# sourceMappingURL=output-parser.js.map