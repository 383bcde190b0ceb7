/**
 * The kinds of processes of a job, in the order of their start. They stop in the opposite order. A gateway gives
 * several proxies one address.
 */
export const ROLES = ["engine", "proxy", "gateway", "rollout", "controller"] as const;
export type JobRole = (typeof ROLES)[number];
