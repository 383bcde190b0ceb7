export function isHttpUrl(value) {
    return typeof value === "string" && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
//# sourceMappingURL=http-url.js.map