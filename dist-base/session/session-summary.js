export {};
//# sourceMappingURL=session-summary.js.map