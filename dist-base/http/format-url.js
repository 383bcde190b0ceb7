/** Returns the URL of a listening address. */
export function formatUrl({ address, family, port }) {
    return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
//# sourceMappingURL=format-url.js.map