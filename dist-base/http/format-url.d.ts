import type { AddressInfo } from "node:net";
/** Returns the URL of a listening address. */
export declare function formatUrl({ address, family, port }: AddressInfo): string;
