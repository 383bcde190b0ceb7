export {};
//# sourceMappingURL=model-call.js.map