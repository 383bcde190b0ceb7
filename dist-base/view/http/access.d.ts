import type { App } from "../../http/app-type.js";
/**
 * Lets only the user's own browser in. Other users of the machine can connect to the port, and pages of other sites can send
 * requests to it, so:
 *
 * - Every request needs a cookie with a random token. The browser gets it in exchange for a code that works once, so the
 *   address in its history opens nothing.
 * - The `Host` header must name this machine. Otherwise a page whose name resolves to 127.0.0.1 (DNS rebinding) could read answers.
 * - Requests that another site or port caused are refused, although cookies do not tell ports apart.
 */
export declare class Access {
    #private;
    /** Path that opens the page, once. */
    get firstPath(): string;
    register(app: App): void;
}
