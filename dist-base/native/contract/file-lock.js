export {};
//# sourceMappingURL=file-lock.js.map