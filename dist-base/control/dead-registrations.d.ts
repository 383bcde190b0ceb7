/**
 * Removes the registrations of this user's servers that died on this machine, for example by `kill -9`. Registrations of other
 * machines and containers stay, because it cannot be known here whether their servers live.
 *
 * @returns the tags of the removed registrations
 */
export declare function removeDeadRegistrations(folder: string): string[];
