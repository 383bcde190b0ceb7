export {};
//# sourceMappingURL=model-request.js.map