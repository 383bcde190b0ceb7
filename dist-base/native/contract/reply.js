export {};
//# sourceMappingURL=reply.js.map