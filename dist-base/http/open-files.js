import { readOpenFileLimit } from "../support/open-file-limit.js";
/** Reserve for files, pipes and sockets that are not connections to clients or servers. */
const OTHER_FILES = 256;
/**
 * Reduces the number of connections to what the operating system's limit of open files allows. Without this, clients could use
 * up all files, and calls that were accepted could not reach the engine.
 */
export function fitConnections({ clients, upstream }, limit = readOpenFileLimit()) {
    const needed = clients + upstream + OTHER_FILES;
    if (limit === undefined || limit >= needed)
        return { maxConnections: clients, problem: undefined };
    const reserved = Math.min(upstream, Math.floor(limit / 2)) + OTHER_FILES;
    const maxConnections = Math.max(1, limit - reserved);
    const problem = `The operating system lets this process open ${limit} files, but server.max_connections (${clients}) and the ` +
        `connections to servers behind it (${upstream}) need ${needed}. Only ${maxConnections} connections are accepted. ` +
        "Raise the limit (`ulimit -n`, `LimitNOFILE` of systemd, `--ulimit nofile` of Docker) or lower server.max_connections.";
    return { maxConnections, problem };
}
/**
 * Returns the limits with as many connections as open files allow. Logs a warning if these are fewer than configured.
 *
 * @param upstream connections that this process may open to engine servers or workers
 */
export function fitToOpenFiles(limits, upstream, logger) {
    const { maxConnections, problem } = fitConnections({ clients: limits.maxConnections, upstream });
    if (problem !== undefined)
        logger?.warn({ maxConnections }, problem);
    return { ...limits, maxConnections };
}
//# sourceMappingURL=open-files.js.map