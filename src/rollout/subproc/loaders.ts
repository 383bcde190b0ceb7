const WITH_VALUE = new Set(["--import", "--require", "-r", "--loader", "--experimental-loader", "--conditions", "-C"]);
const ALONE = /^--(import|require|loader|experimental-loader|conditions|experimental-strip-types|enable-source-maps)\b/;

/** Those of Node's arguments that say how modules are found and read, and none that starts a debugger or a profiler. */
export function loaders(execArgv: readonly string[]): string[] {
  return execArgv.flatMap((argument, i) => {
    const value = execArgv[i + 1];
    if (WITH_VALUE.has(argument)) return value === undefined ? [] : [argument, value];
    // A value is taken with its option.
    if (WITH_VALUE.has(execArgv[i - 1] ?? "")) return [];
    return ALONE.test(argument) ? [argument] : [];
  });
}
