import { existsSync } from "node:fs";

const SUFFIX = ".sessions";

/** Returns the file with the sessions of a batch that a job writes beside it. */
export const sessionsFileOf = (batch: string): string => batch + SUFFIX;

/** Returns the sessions file beside a batch; undefined if there is none. */
export function findSessionsFile(batch: string): string | undefined {
  const file = sessionsFileOf(batch);
  return existsSync(file) ? file : undefined;
}
