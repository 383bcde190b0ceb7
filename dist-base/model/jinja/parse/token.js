/** Returns an error that names the line of a position in a template. */
export function syntaxError(source, at, problem) {
    return new Error(`line ${source.slice(0, at).split("\n").length}: ${problem}`);
}
//# sourceMappingURL=token.js.map