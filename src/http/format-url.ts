import type { AddressInfo } from "node:net";

/** Returns the URL of a listening address. */
export function formatUrl({ address, family, port }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
