/**
 * The kinds of processes of a job, in the order of their start. They stop in the opposite order. A gateway gives
 * several proxies one address.
 */
export declare const ROLES: readonly ["engine", "proxy", "gateway", "rollout", "controller"];
export type Role = (typeof ROLES)[number];
