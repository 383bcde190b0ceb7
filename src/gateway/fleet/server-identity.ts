import { isIPv4 } from "node:net";

/**
 * Returns the address under which all workers' spellings of one engine server are the same. A loopback address means the
 * worker's own machine: two workers on different machines have different servers there.
 *
 * @param url as the worker lists it
 * @param workerUrl the worker's own address
 */
export function serverIdentity(url: string, workerUrl: string): string {
  const address = new URL(url);
  if (isLoopback(address.hostname)) address.hostname = machineOf(workerUrl);
  return withoutEndingSlash(address.href);
}

/** Returns the address that a caller wrote, in the spelling of {@link serverIdentity}. */
export function spelledAlike(url: string): string {
  return URL.canParse(url) ? withoutEndingSlash(new URL(url).href) : url;
}

/** One spelling for the machine of workers that are reached by loopback themselves. */
function machineOf(workerUrl: string): string {
  const { hostname } = new URL(workerUrl);
  return isLoopback(hostname) ? "127.0.0.1" : hostname;
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || (isIPv4(hostname) && hostname.startsWith("127."));
}

function withoutEndingSlash(href: string): string {
  return href.endsWith("/") ? href.slice(0, -1) : href;
}
