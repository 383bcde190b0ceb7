export {};
//# sourceMappingURL=memory.js.map