export {};
//# sourceMappingURL=message-delta.js.map