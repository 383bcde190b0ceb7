import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { WORKER_TAG } from "../session/worker-tag.js";
import { readRegularFileSync } from "../support/regular-file.js";
import { identifyProcess, isSameProcess, processIdentity } from "./process-identity.js";

/** The file `<tag>.json` that a server writes into the shared folder `server.workers_folder`. */
export const registrationSchema = processIdentity.extend({
  url: z.url(),
  tag: z.string().regex(WORKER_TAG),
});

/** A registration has some hundred bytes. */
export const MAX_REGISTRATION_BYTES = 64 * 1024;

export type Registration = z.output<typeof registrationSchema>;

/**
 * Writes this server's address into the folder. The file is renamed into place, so that readers never see half of it. It replaces
 * the registration of an earlier server with the same tag.
 *
 * @returns a function that removes the file, unless another server with the tag has registered since
 */
export function registerWorker(folder: string, { url, tag }: Pick<Registration, "url" | "tag">): () => void {
  mkdirSync(folder, { recursive: true });
  const own = identifyProcess();
  const registration: Registration = { url, tag, ...own };
  const file = join(folder, `${tag}.json`);
  const draft = join(folder, `.${tag}.${process.pid}`);
  writeFileSync(draft, `${JSON.stringify(registration)}\n`);
  renameSync(draft, file);
  return () => void removeRegistration(file, (found) => found.url === url && isSameProcess(found, own));
}

/**
 * Removes a registration if it fits the condition. A server that registers at the same moment keeps its registration.
 *
 * @returns the removed registration; undefined if none was removed
 */
export function removeRegistration(
  file: string,
  condition: (registration: Registration) => boolean,
): Registration | undefined {
  const readIfFits = (path: string): Registration | undefined => {
    const registration = readRegistration(path);
    return registration && condition(registration) ? registration : undefined;
  };
  if (!readIfFits(file)) return undefined;
  // The file may be replaced after it was read. Renamed, it cannot change any more and is checked again.
  const taken = join(dirname(file), `.removed-${randomUUID()}.${process.pid}`);
  try {
    renameSync(file, taken);
    const removed = readIfFits(taken);
    // Puts a newer registration back. Unlike a rename, this does not replace one that is newer still.
    if (!removed) linkSync(taken, file);
    return removed;
  } catch {
    // Another server removed or replaced it.
    return undefined;
  } finally {
    rmSync(taken, { force: true });
  }
}

function readRegistration(file: string): Registration | undefined {
  try {
    return registrationSchema.safeParse(JSON.parse(readRegularFileSync(file, MAX_REGISTRATION_BYTES))).data;
  } catch {
    return undefined;
  }
}
