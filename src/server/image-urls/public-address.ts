import { Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { callbackify } from "node:util";
import ipaddr from "ipaddr.js";
import { buildConnector } from "undici";

/** No connection to a host is allowed. The message does not contain an address of the host, which may be internal. */
export class RefusedHostError extends Error {}

/** Returns all addresses of a host; none if it has no address. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/**
 * Returns a resolver that asks name servers itself. The system's resolver shares a few threads with connections to engines. Agents could
 * block these threads with names of slow servers.
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

/** A public address at which Azure serves each virtual machine its platform, such as extensions and their settings. */
const AZURE_PLATFORM = "168.63.129.16";

/**
 * Returns true if an IP address is public. Loopback, private, link-local, carrier-shared, multicast and reserved addresses are not, nor
 * are IPv6 addresses that stand for IPv4 by a tunnel or a translation.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast" || parsed.toString() === AZURE_PLATFORM) return false;
  // For ipaddr.js, unassigned and deprecated IPv6 addresses are unicast, too. Only 2000::/3 is assigned.
  return parsed.kind() === "ipv4" || (parsed.toByteArray()[0] ?? 0) >> 5 === 1;
}

/**
 * Returns a connector that opens connections to public addresses only. It connects to the addresses that it has checked, so DNS rebinding
 * has no effect. It fails with a {@link RefusedHostError}.
 *
 * @param hosts hosts whose addresses need not be public, with their port unless it is the scheme's default
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
    // Node.js calls no `lookup` for a host that is an address.
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
