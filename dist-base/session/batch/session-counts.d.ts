import type { Session } from "../session.js";
/** What the metadata of a batch says of its sessions, as they were when each of them was planned. */
export declare class SessionCounts {
    #private;
    readonly rewardsMissing: string[];
    add({ id, rewardsMissing, incompleteCalls, abortedCalls }: Session): void;
    /** By session id, without sessions that have none. */
    get incompleteCalls(): Readonly<Record<string, number>>;
    /** By session id, without sessions that have none. */
    get abortedCalls(): Readonly<Record<string, number>>;
}
