export {};
//# sourceMappingURL=journal.js.map