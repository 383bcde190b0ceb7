const WITH_VALUE = new Set(["--import", "--require", "-r", "--loader", "--experimental-loader", "--conditions", "-C"]);
const ALONE = /^--(import|require|loader|experimental-loader|conditions|experimental-strip-types|enable-source-maps)\b/;
/**
 * Returns the Node arguments that affect how modules are found and loaded, without those of debuggers and profilers.
 */
export function pickLoaders(execArgv) {
    return execArgv.flatMap((argument, i) => {
        const value = execArgv[i + 1];
        if (WITH_VALUE.has(argument))
            return value === undefined ? [] : [argument, value];
        // The value of the option before was already taken.
        if (WITH_VALUE.has(execArgv[i - 1] ?? ""))
            return [];
        return ALONE.test(argument) ? [argument] : [];
    });
}
//# sourceMappingURL=loaders.js.map