import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasProcessEnded, identifyProcess } from "./process-identity.js";
import { removeRegistration } from "./worker-registration.js";

/** Names of registrations, and of temporary files from servers that died before they renamed them. */
const REGISTRATION_NAME = /^(?:[^.].*\.json|\..+\.\d+)$/;

/**
 * Removes the registrations of this user's servers that died on this machine, for example by `kill -9`. Registrations of other
 * machines and containers stay, because it cannot be known here whether their servers live.
 *
 * @returns the tags of the removed registrations
 */
export function removeDeadRegistrations(folder: string): string[] {
  const own = identifyProcess();
  return listNames(folder)
    .map((name) => join(folder, name))
    .filter(isOwnedByUser)
    .flatMap((file) => removeRegistration(file, (found) => hasProcessEnded(found, own))?.tag ?? []);
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => REGISTRATION_NAME.test(name));
  } catch {
    return [];
  }
}

function isOwnedByUser(file: string): boolean {
  try {
    return statSync(file).uid === process.getuid?.();
  } catch {
    return false;
  }
}
