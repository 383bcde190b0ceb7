import { ApiError } from "./errors.js";
/** Refuses requests without a `Host` header, which HTTP/1.1 requires. */
export function requireHost({ raw }, _reply, next) {
    const isMissing = raw.httpVersion === "1.1" && raw.headers.host === undefined;
    next(isMissing ? new ApiError("malformed_request", "The request has no `Host` header.") : undefined);
}
//# sourceMappingURL=require-host.js.map