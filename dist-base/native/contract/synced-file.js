export {};
//# sourceMappingURL=synced-file.js.map