import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { WORKER_TAG } from "../session/worker-tag.js";

/** The file `<tag>.json` that a server writes into the shared folder `server.workers_folder`. */
export const registrationSchema = z.object({
  url: z.url(),
  tag: z.string().regex(WORKER_TAG),
  host: z.string(),
  pid: z.int(),
});

export type Registration = z.output<typeof registrationSchema>;

/**
 * Writes this server's address into the folder. The file is renamed into place, so that readers never see half of it.
 *
 * @returns a function that removes the file
 */
export function registerWorker(folder: string, { url, tag }: Pick<Registration, "url" | "tag">): () => void {
  mkdirSync(folder, { recursive: true });
  const registration: Registration = { url, tag, host: hostname(), pid: process.pid };
  const file = join(folder, `${tag}.json`);
  const draft = join(folder, `.${tag}.${process.pid}`);
  writeFileSync(draft, `${JSON.stringify(registration)}\n`);
  renameSync(draft, file);
  return () => rmSync(file, { force: true });
}
