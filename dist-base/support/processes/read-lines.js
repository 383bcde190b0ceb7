const NEWLINE = 10;
/**
 * Calls `listener` for each line of an output. Text after the last line break is a line too if the output ends.
 *
 * @param limit maximum bytes of a line. Nothing of a longer line is kept.
 */
export function readLines(output, limit, listener) {
    let parts = [];
    let size = 0;
    const add = (part) => {
        size += part.length;
        if (size <= limit)
            parts.push(part);
        else
            parts = [];
    };
    const end = () => {
        const line = size <= limit ? Buffer.concat(parts).toString() : undefined;
        [parts, size] = [[], 0];
        listener(line);
    };
    output.on("data", (chunk) => {
        let start = 0;
        for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, start)) {
            add(chunk.subarray(start, at));
            start = at + 1;
            end();
        }
        if (start < chunk.length)
            add(chunk.subarray(start));
    });
    output.on("end", () => {
        if (size > 0)
            end();
    });
    // Without a listener, a broken pipe would be an uncaught error. The end of the process explains it.
    output.on("error", () => { });
}
//# sourceMappingURL=read-lines.js.map