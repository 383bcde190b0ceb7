export {};
//# sourceMappingURL=completed-call.js.map