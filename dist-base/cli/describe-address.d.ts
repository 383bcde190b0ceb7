import type { Config } from "../config/index.js";
interface Running {
    readonly url: string;
    readonly probeUrl: string | undefined;
}
/** The fields of a ready line that say where a server or gateway listens. */
export interface Address {
    readonly url: string;
    readonly socket?: string;
    readonly probe_url?: string;
}
export declare function describeAddress({ server: { socket } }: Config, { url, probeUrl }: Running): Address;
export {};
