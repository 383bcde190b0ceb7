import type { FastifyBaseLogger } from "fastify";
import type { Config } from "../config/index.js";
import type { ServerContext } from "./context.js";
/** Removes the files of dead servers on this machine: batches in shared memory, and registrations in the workers folder. */
export declare function removeOrphans({ sharedMemory }: Pick<ServerContext, "sharedMemory">, { server }: Config, logger: FastifyBaseLogger): void;
