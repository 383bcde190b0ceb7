import { removeDeadRegistrations } from "../control/dead-registrations.js";
/** Removes the files of dead servers on this machine: batches in shared memory, and registrations in the workers folder. */
export function removeOrphans({ sharedMemory }, { server }, logger) {
    sharedMemory.removeOrphans();
    if (server.workers_folder === null)
        return;
    const tags = removeDeadRegistrations(server.workers_folder);
    if (tags.length > 0)
        logger.info({ tags }, "removed the registrations of servers that died on this machine");
}
//# sourceMappingURL=orphans.js.map