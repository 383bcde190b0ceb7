import { type RegistryOptions, SessionRegistry } from "../../../src/session/session-registry.js";

export const TIMEOUT_MILLISECONDS = 3_600_000;

/** Returns a registry of sessions that expire after an hour, with capacity for 100 of them. */
export function registryOf(options: Partial<RegistryOptions> = {}): SessionRegistry {
  const registry = new SessionRegistry({
    adminKey: "sk-admin-0123456789abcdef",
    timeoutMilliseconds: TIMEOUT_MILLISECONDS,
    retention: { milliseconds: 300_000, bytes: 1 << 30 },
    ...options,
  });
  registry.grant(100);
  return registry;
}
