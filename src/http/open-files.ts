import { readOpenFileLimit } from "../support/open-file-limit.js";

/** Files, pipes and sockets besides the connections that are counted. */
const OTHER_FILES = 256;

export interface Sockets {
  /** Connections from clients that the configuration allows. */
  readonly clients: number;
  /** Connections that this process may open to engine servers or workers. */
  readonly upstream: number;
}

export interface FittingConnections {
  /** Connections from clients to accept. */
  readonly maxConnections: number;
  /** Says what the operating system does not allow; undefined if it allows all. */
  readonly problem: string | undefined;
}

/**
 * Fits the number of connections to the operating system's limit of open files. Otherwise clients could use up all files, and
 * calls that were accepted could not reach the engine.
 */
export function fitConnections({ clients, upstream }: Sockets, limit = readOpenFileLimit()): FittingConnections {
  const needed = clients + upstream + OTHER_FILES;
  if (limit === undefined || limit >= needed) return { maxConnections: clients, problem: undefined };
  const reserved = Math.min(upstream, Math.floor(limit / 2)) + OTHER_FILES;
  const maxConnections = Math.max(1, limit - reserved);
  const problem =
    `The operating system lets this process open ${limit} files, but server.max_connections (${clients}) and the ` +
    `connections to servers behind it (${upstream}) need ${needed}. Only ${maxConnections} connections are accepted. ` +
    "Raise the limit (`ulimit -n`, `LimitNOFILE` of systemd, `--ulimit nofile` of Docker) or lower server.max_connections.";
  return { maxConnections, problem };
}
