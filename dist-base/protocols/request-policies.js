export {};
//# sourceMappingURL=request-policies.js.map