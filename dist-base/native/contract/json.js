export {};
//# sourceMappingURL=json.js.map