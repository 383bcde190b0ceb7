import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { ApiError } from "../../http/errors.js";
/** Names by which a browser on this machine, or behind an SSH tunnel, reaches the viewer. */
const LOOPBACK_NAMES = new Set(["127.0.0.1", "localhost", "[::1]"]);
/**
 * Lets only the user's own browser in. Other users of the machine can connect to the port, and pages of other sites can send
 * requests to it, so:
 *
 * - Every request needs a cookie with a random token. The browser gets it in exchange for a code that works once, so the
 *   address in its history opens nothing.
 * - The `Host` header must name this machine. Otherwise a page whose name resolves to 127.0.0.1 (DNS rebinding) could read answers.
 * - Requests that another site or port caused are refused, although cookies do not tell ports apart.
 */
export class Access {
    #token = randomBytes(32).toString("base64url");
    #code = randomBytes(32).toString("base64url");
    /** Path that opens the page, once. */
    get firstPath() {
        return `/?code=${this.#code ?? ""}`;
    }
    register(app) {
        app.addHook("onRequest", (request, reply, next) => {
            try {
                this.#check(request, reply, next);
            }
            catch (error) {
                next(error);
            }
        });
    }
    #check(request, reply, next) {
        const { host = "", "sec-fetch-site": site = "none" } = request.headers;
        if (!LOOPBACK_NAMES.has(host.replace(/:\d+$/, "").toLowerCase())) {
            throw new ApiError("wrong_key_kind", "The viewer answers only requests to 127.0.0.1, localhost or [::1].");
        }
        const { code } = request.query;
        const isFirst = request.url.startsWith("/?") && typeof code === "string";
        // Any site may link to the page. All other requests come from the page itself.
        if (!isFirst && request.url.split("?", 1)[0] !== "/" && site !== "none" && site !== "same-origin") {
            throw new ApiError("wrong_key_kind", "The viewer does not answer requests of other sites.");
        }
        if (isFirst)
            this.#open(request, reply, code);
        else if (!this.#hasCookie(request))
            throw noCookie();
        next();
    }
    /**
     * Exchanges the code for the cookie, in the answer that has the page. Not a redirect: after a click on another site's link, the browser
     * would not send the `SameSite` cookie with it. The page removes the code from its address.
     */
    #open(request, reply, code) {
        if (this.#code !== undefined && isSame(code, this.#code)) {
            this.#code = undefined;
            void reply.header("set-cookie", `${cookieName(request)}=${this.#token}; Path=/; HttpOnly; SameSite=Strict`);
        }
        else if (!this.#hasCookie(request))
            throw noCookie();
    }
    #hasCookie(request) {
        const name = `${cookieName(request)}=`;
        const cookies = (request.headers.cookie ?? "").split(";").map((cookie) => cookie.trim());
        return cookies.some((cookie) => cookie.startsWith(name) && isSame(cookie.slice(name.length), this.#token));
    }
}
/** Viewers on other ports of the machine have cookies of their own. Behind a tunnel, the port is that of the tunnel. */
function cookieName({ headers: { host = "" } }) {
    return `rolltape_view_${/:(\d+)$/.exec(host)?.[1] ?? "80"}`;
}
function noCookie() {
    const message = "Open the address that `rolltape view` printed. It works once, in one browser; start the command again for another.";
    // Not 401, for which the page would ask for a key.
    return new ApiError("wrong_key_kind", message);
}
/** Compares in constant time. */
function isSame(a, b) {
    const digest = (text) => createHash("sha256").update(text).digest();
    return timingSafeEqual(digest(a), digest(b));
}
//# sourceMappingURL=access.js.map