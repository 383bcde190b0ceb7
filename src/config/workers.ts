import { hostname } from "node:os";
import { ConfigError } from "./errors.js";
import type { Config } from "./schema/sections.js";
import { readDnsService } from "./schema/values.js";

const MAX_LENGTH = 32;

/**
 * Returns `server.worker_tag`, with the tag of this machine for `hostname`.
 *
 * @throws {@link ConfigError} `config_invalid` if the host name makes no tag
 */
export function readWorkerTag({ server }: Config, hostName = hostname()): string | null {
  if (server.worker_tag !== "hostname") return server.worker_tag;
  const [label = ""] = hostName.toLowerCase().split(".");
  const tag = label.replaceAll(/[^a-z0-9]/g, "");
  if (tag !== "" && tag.length <= MAX_LENGTH) return tag;
  const message = `the host name ${hostName} does not have 1 to ${MAX_LENGTH} letters and digits before its first dot; set a tag or auto`;
  throw new ConfigError("config_invalid", [{ path: "server.worker_tag", message }]);
}

/** Returns the DNS name of the workers and their port, as `gateway.discover` says. */
export function readWorkerName({ gateway }: Config): ReturnType<typeof readDnsService> {
  return gateway.discover === null ? undefined : readDnsService(gateway.discover);
}
