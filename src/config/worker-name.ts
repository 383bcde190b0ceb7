import type { Config } from "./schema/sections.js";

/** Returns the DNS name of the workers and their port, as `gateway.discover` says. */
export function readWorkerName({ gateway }: Config): { readonly name: string; readonly port: number } | undefined {
  const [, name, port] = gateway.discover?.split(":") ?? [];
  return name === undefined ? undefined : { name, port: Number(port) };
}
