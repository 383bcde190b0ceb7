export {};
//# sourceMappingURL=reply-stream.js.map