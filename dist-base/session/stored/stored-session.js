export {};
//# sourceMappingURL=stored-session.js.map