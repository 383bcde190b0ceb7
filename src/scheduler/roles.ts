/**
 * The kinds of process of a job, in the order in which they start; they stop in the opposite one. A gateway is what makes
 * one address of several proxies.
 */
export const ROLES = ["engine", "proxy", "gateway", "rollout", "controller"] as const;
export type Role = (typeof ROLES)[number];
