export {};
//# sourceMappingURL=controller-options.js.map