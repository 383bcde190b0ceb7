import { Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { callbackify } from "node:util";
import ipaddr from "ipaddr.js";
import { buildConnector } from "undici";

/** A host to which no connection is opened. The message names no address, which may be internal. */
export class RefusedHostError extends Error {}

/** Returns all addresses of a host; none if it has no address. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/**
 * Returns a resolver that asks name servers itself. The system's resolver has few threads, which agents could keep busy with names of
 * slow servers, and which the connections to engines need.
 *
 * @param servers addresses of name servers. Default: those of the system
 */
export function createHostResolver(servers?: readonly string[]): ResolveHost {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  if (servers) resolver.setServers(servers);
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  };
}

/**
 * Returns true if an IP address is public: not of this machine, of a private or shared network, of a tunnel or a translation to such an
 * address, for several receivers, or reserved.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  // The library also calls addresses unicast that were never assigned, or were once used for IPv4. Assigned are those of 2000::/3.
  return parsed.kind() === "ipv4" || (parsed.toByteArray()[0] ?? 0) >> 5 === 1;
}

/**
 * Returns a connector that opens connections to public addresses only. The addresses that are checked are those it then connects to, so
 * a host cannot resolve to others in between. It fails with a {@link RefusedHostError}.
 *
 * @param hosts hosts to which it connects whatever their addresses, with their port unless it is the default one
 * @param resolve resolves the names of the other hosts
 */
export function createPublicConnector(
  hosts: readonly string[],
  timeoutMilliseconds: number,
  resolve: ResolveHost,
): buildConnector.connector {
  const options = { timeout: timeoutMilliseconds };
  const connectToAny = buildConnector(options);
  const connectToPublic = buildConnector({ ...options, lookup: lookUpPublic(resolve) });
  const allowed = new Set(hosts);
  return (target, callback) => {
    if (target.host !== undefined && allowed.has(target.host)) return connectToAny(target, callback);
    // Node looks no name up that is an address.
    if (isIP(target.hostname) === 0 || isPublicAddress(target.hostname)) return connectToPublic(target, callback);
    process.nextTick(() => callback(notPublic(), null));
  };
}

function lookUpPublic(resolve: ResolveHost): LookupFunction {
  const find = callbackify(async (hostname: string) => {
    const addresses = await resolve(hostname);
    const [first] = addresses;
    if (first === undefined) throw new RefusedHostError("the host has no address");
    if (!addresses.every(isPublicAddress)) throw notPublic();
    return { first, all: addresses.map((address) => ({ address, family: isIP(address) })) };
  });
  return (hostname, { all }, callback) =>
    find(hostname, (error, found) => {
      if (error) callback(error, "");
      else if (all) callback(null, found.all);
      else callback(null, found.first, isIP(found.first));
    });
}

const notPublic = (): RefusedHostError =>
  new RefusedHostError("the address of the host is not public, and rollout.agent.image_hosts does not name the host");
