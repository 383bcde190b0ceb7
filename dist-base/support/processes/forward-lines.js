const NEWLINE = 10;
const LONGEST_LINE_BYTES = 1 << 16;
/**
 * Writes the output of a process to standard error in whole lines, because several processes may print at once. Adds a
 * line break to a last line that has none.
 *
 * @returns a function that writes an incomplete last line now, for callers that do not wait for the end of the output
 */
export function forwardLines(output) {
    let rest = Buffer.alloc(0);
    const write = (bytes) => void (bytes.length > 0 && process.stderr.write(bytes));
    output.on("data", (chunk) => {
        const all = Buffer.concat([rest, chunk]);
        const end = all.length > LONGEST_LINE_BYTES ? all.length : all.lastIndexOf(NEWLINE) + 1;
        rest = Buffer.from(all.subarray(end));
        write(all.subarray(0, end));
    });
    const flush = () => {
        if (rest.length > 0)
            write(Buffer.concat([rest, Buffer.from([NEWLINE])]));
        rest = Buffer.alloc(0);
    };
    output.on("end", flush);
    // Without a listener, a broken pipe would be an uncaught error. It only ends the forwarding.
    output.on("error", () => { });
    return flush;
}
//# sourceMappingURL=forward-lines.js.map