/** Finds a port that is free on this machine now: the wanted one if it is free, else any. */
export declare function findFreePort(wanted?: number): Promise<number>;
