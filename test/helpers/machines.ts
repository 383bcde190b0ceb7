import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

/** A network namespace in place of a machine. */
export interface Machine {
  readonly host: string;
  /** The command line that runs a program there. */
  readonly prefix: readonly string[];
}

/**
 * Network namespaces with a router between them. What the router drops disappears without an error, as behind a switch that failed. Only
 * root can create namespaces.
 */
export class Machines<Name extends string> implements Disposable {
  readonly #names: readonly Name[];

  constructor(names: readonly Name[]) {
    this.#names = names;
    try {
      for (const name of ["router", ...names]) {
        ip("netns", "add", namespaceOf(name));
        ip("-n", namespaceOf(name), "link", "set", "lo", "up");
      }
      for (const name of names) this.#link(name);
      this.#forward(true);
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  get(name: Name): Machine {
    return { host: `${this.#network(name)}.2`, prefix: ["ip", "netns", "exec", namespaceOf(name)] };
  }

  /** Drops all packets between the machines for a time. */
  async cut(seconds: number): Promise<void> {
    this.#forward(false);
    await sleep(seconds * 1000);
    this.#forward(true);
  }

  /** Kills all programs of a machine, and drops the packets for it until {@link turnOn}. */
  turnOff(name: Name): void {
    ip("-n", namespaceOf("router"), "route", "add", "blackhole", this.get(name).host);
    const pids = ip("netns", "pids", namespaceOf(name)).split("\n");
    for (const pid of pids) if (pid !== "") process.kill(Number(pid), "SIGKILL");
  }

  turnOn(name: Name): void {
    ip("-n", namespaceOf("router"), "route", "del", "blackhole", this.get(name).host);
  }

  [Symbol.dispose](): void {
    for (const name of ["router", ...this.#names]) {
      try {
        ip("netns", "del", namespaceOf(name));
      } catch {
        // It was not made.
      }
    }
  }

  #network(name: Name): string {
    return `10.231.${this.#names.indexOf(name) + 1}`;
  }

  #link(name: Name): void {
    const [router, machine, network] = [namespaceOf("router"), namespaceOf(name), this.#network(name)];
    const cable = `to-${this.#names.indexOf(name)}`;
    ip("link", "add", cable, "netns", router, "type", "veth", "peer", "name", "eth0", "netns", machine);
    ip("-n", router, "address", "add", `${network}.1/24`, "dev", cable);
    ip("-n", router, "link", "set", cable, "up");
    ip("-n", machine, "address", "add", `${network}.2/24`, "dev", "eth0");
    ip("-n", machine, "link", "set", "eth0", "up");
    ip("-n", machine, "route", "add", "default", "via", `${network}.1`);
  }

  #forward(on: boolean): void {
    const command = `echo ${on ? 1 : 0} > /proc/sys/net/ipv4/ip_forward`;
    ip("netns", "exec", namespaceOf("router"), "sh", "-c", command);
  }
}

/** Network namespaces need root. */
export const hasNamespaces = process.getuid?.() === 0 && canMakeOne();

function canMakeOne(): boolean {
  try {
    ip("netns", "add", namespaceOf("probe"));
    ip("netns", "del", namespaceOf("probe"));
    return true;
  } catch {
    return false;
  }
}

function namespaceOf(name: string): string {
  return `rolltape-${process.pid}-${name}`;
}

function ip(...args: readonly string[]): string {
  return execFileSync("ip", args, { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
}
