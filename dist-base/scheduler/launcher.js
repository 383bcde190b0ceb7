export {};
//# sourceMappingURL=launcher.js.map