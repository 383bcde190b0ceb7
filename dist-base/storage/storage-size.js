export {};
//# sourceMappingURL=storage-size.js.map