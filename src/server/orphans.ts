import type { FastifyBaseLogger } from "fastify";
import { removeDeadRegistrations } from "../admin-api/dead-registrations.js";
import type { Config } from "../config/index.js";
import type { ExportServices } from "./services.js";

/** Removes the files of dead servers on this machine: batches in shared memory, and registrations in the workers folder. */
export function removeOrphans(
  { sharedMemory }: Pick<ExportServices, "sharedMemory">,
  { server }: Config,
  logger: FastifyBaseLogger,
): void {
  sharedMemory.removeOrphans();
  if (server.workers_folder === null) return;
  const tags = removeDeadRegistrations(server.workers_folder);
  if (tags.length > 0) logger.info({ tags }, "removed the registrations of servers that died on this machine");
}
