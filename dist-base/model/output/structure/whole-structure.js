export {};
//# sourceMappingURL=whole-structure.js.map