export {};
//# sourceMappingURL=open-source.js.map