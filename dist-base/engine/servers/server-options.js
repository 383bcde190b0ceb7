/** @throws RangeError if an option is out of range. */
export function checkServerOptions({ urls, maxInflight, timeoutSeconds, healthSeconds = 0, weightsTimeoutSeconds = 0, }) {
    if (urls.length === 0)
        throw new RangeError("urls must contain at least one URL");
    if (new Set(urls).size < urls.length)
        throw new RangeError(`urls must be unique; received ${urls.join(", ")}`);
    if (!(Number.isInteger(maxInflight) && maxInflight > 0)) {
        throw new RangeError(`maxInflight must be a positive integer; received ${maxInflight}`);
    }
    if (!(timeoutSeconds >= 0))
        throw new RangeError(`timeoutSeconds must be 0 or more; received ${timeoutSeconds}`);
    if (!(healthSeconds >= 0))
        throw new RangeError(`healthSeconds must be 0 or more; received ${healthSeconds}`);
    if (!(weightsTimeoutSeconds >= 0)) {
        throw new RangeError(`weightsTimeoutSeconds must be 0 or more; received ${weightsTimeoutSeconds}`);
    }
}
//# sourceMappingURL=server-options.js.map