export {};
//# sourceMappingURL=engine-server.js.map