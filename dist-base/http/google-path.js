/** The first part of a path, also in absolute form and after the duplicate slashes that routing ignores. */
const FIRST_PART = /^(?:https?:\/\/[^/?#]*)?\/+([^/?#]*)/;
/** Returns true if the request's path belongs to Google's API, even if no route has it. */
export function isGooglePath({ originalUrl }) {
    const part = FIRST_PART.exec(originalUrl)?.[1];
    return part !== undefined && decode(part) === "v1beta";
}
/** Decodes a part of a path as routing does. A malformed part stays as it is. */
function decode(part) {
    if (!part.includes("%"))
        return part;
    try {
        return decodeURIComponent(part);
    }
    catch {
        return part;
    }
}
//# sourceMappingURL=google-path.js.map