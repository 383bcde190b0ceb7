export {};
//# sourceMappingURL=batch-plan.js.map