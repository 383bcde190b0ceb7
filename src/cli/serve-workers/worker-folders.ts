import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Config, ConfigError } from "../../config/index.js";
import { hasStorage } from "../../storage/index.js";

const KEY = "storage.directory";
const WORKER_FOLDER = /^worker-(\d+)$/;

/** Returns the storage folder of a worker; undefined if sessions are not stored. */
export function workerFolder({ storage: { directory } }: Config, name: string): string | undefined {
  return directory === null ? undefined : join(directory, name);
}

/**
 * Refuses a storage folder with sessions that no worker would have: those of a single server, or of more workers.
 *
 * @throws ConfigError `config_invalid`
 */
export function refuseOtherSessions({ storage: { directory } }: Config, workers: number): void {
  if (directory === null) return;
  if (hasStorage(directory)) {
    const move = `move its files into ${join(directory, "worker-0")}`;
    refuse(`${directory} has the sessions of a single server. To use them, ${move}, or set server.workers=1`);
  }
  const left = listWorkers(directory).filter((index) => index >= workers);
  if (left.length === 0) return;
  const names = left.map((index) => `worker-${index}`).join(", ");
  const count = Math.max(...left) + 1;
  refuse(
    `${directory} has sessions of more workers than ${workers}: ${names}. Set server.workers=${count}, or export them ` +
      "with `rolltape export` and move the folders away",
  );
}

/**
 * Returns a warning if the folder of a single server has sessions of workers, which the server does not use.
 *
 * @throws ConfigError `config_invalid` if it is a file
 */
export function describeUnusedWorkers({ storage: { directory } }: Config): string | undefined {
  const found = directory === null ? [] : listWorkers(directory);
  if (found.length === 0) return undefined;
  const count = Math.max(...found) + 1;
  return `has sessions of workers, which a single server does not use; set server.workers=${count} to use them`;
}

/**
 * Returns the indexes of the workers that stored sessions in the folder.
 *
 * @throws ConfigError `config_invalid` if it is a file
 */
function listWorkers(directory: string): number[] {
  if (statSync(directory, { throwIfNoEntry: false })?.isFile()) refuse(`${directory} is a file. Choose a folder`);
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return names
    .filter((name) => hasStorage(join(directory, name)))
    .flatMap((name) => WORKER_FOLDER.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

function refuse(message: string): never {
  throw new ConfigError("config_invalid", [{ path: KEY, message }]);
}
