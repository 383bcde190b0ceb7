export {};
//# sourceMappingURL=stream-encoder.js.map