/** The nodes of a parsed template. */
export {};
//# sourceMappingURL=ast.js.map