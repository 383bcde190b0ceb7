import type { ServerContext } from "./context.js";

/** Tokens that prompt and output of one call may have together. */
export async function contextLimit({ engine, settings }: ServerContext): Promise<number> {
  return Math.min(settings.engineMaxTokens ?? Number.POSITIVE_INFINITY, await engine.contextLength());
}
