/**
 * Paths that agent programs request, without a key, before their first model call to see whether the server answers: the root,
 * the base URL of OpenAI's SDK, and Claude Code's own probe.
 */
export const PROBE_PATHS = ["/", "/v1", "/api/hello"] as const;
