export {};
//# sourceMappingURL=app-type.js.map