export {};
//# sourceMappingURL=generation.js.map