import { isIPv4 } from "node:net";
/**
 * Returns an address that is the same for all workers that use the same engine server, however they spell it. A loopback
 * address means the worker's own machine, so it is a different server for workers on different machines.
 *
 * @param url address of the server as the worker lists it
 * @param workerUrl address of the worker
 */
export function identifyServer(url, workerUrl) {
    const address = new URL(url);
    if (isLoopback(address.hostname))
        address.hostname = readHost(workerUrl);
    return removeTrailingSlash(address.href);
}
/** Returns the address of a client's request in the spelling of {@link identifyServer}. */
export function normalizeUrl(url) {
    return URL.canParse(url) ? removeTrailingSlash(new URL(url).href) : url;
}
/** Returns the host of a worker. Workers on the gateway's own machine get one spelling. */
function readHost(workerUrl) {
    const { hostname } = new URL(workerUrl);
    return isLoopback(hostname) ? "127.0.0.1" : hostname;
}
function isLoopback(hostname) {
    return hostname === "localhost" || hostname === "[::1]" || (isIPv4(hostname) && hostname.startsWith("127."));
}
function removeTrailingSlash(href) {
    return href.endsWith("/") ? href.slice(0, -1) : href;
}
//# sourceMappingURL=server-identity.js.map