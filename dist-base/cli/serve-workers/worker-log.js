/**
 * Returns a destination for the standard error of a worker, whole lines at a time. Log lines get the worker's name as the field
 * `worker`; other text, such as a stack, gets it as a prefix.
 */
export function nameLines(name, output) {
    const field = `{"worker":${JSON.stringify(name)},`;
    return {
        write: (line) => output.write(line.startsWith('{"') ? field + line.slice(1) : `${name}: ${line}`),
    };
}
//# sourceMappingURL=worker-log.js.map