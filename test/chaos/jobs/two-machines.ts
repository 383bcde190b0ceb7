import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

/** A network namespace in place of a machine. */
export interface Machine {
  readonly host: string;
  /** The command line that runs a program there. */
  readonly prefix: readonly string[];
}

const NETWORKS = { a: "10.231.1", b: "10.231.2" };

/**
 * Two network namespaces with a router between them. When the router stops forwarding, packets disappear without an error, as behind a
 * switch that failed. Only root can create namespaces.
 */
export class TwoMachines implements Disposable {
  readonly a: Machine;
  readonly b: Machine;
  readonly #router = nameOf("router");

  constructor() {
    const [a, b] = [describe("a"), describe("b")];
    this.a = a;
    this.b = b;
    try {
      for (const name of [this.#router, a.machine, b.machine]) {
        ip("netns", "add", name);
        ip("-n", name, "link", "set", "lo", "up");
      }
      for (const each of [a, b]) this.#link(each);
      this.#forward(true);
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** Drops all packets between the machines for a time. */
  async cut(seconds: number): Promise<void> {
    this.#forward(false);
    await sleep(seconds * 1000);
    this.#forward(true);
  }

  [Symbol.dispose](): void {
    for (const name of [this.#router, nameOf("a"), nameOf("b")]) {
      try {
        ip("netns", "del", name);
      } catch {
        // It was not made.
      }
    }
  }

  #link({ machine, host, gateway }: LinkedMachine): void {
    const cable = machine.slice(-12);
    ip("link", "add", cable, "netns", this.#router, "type", "veth", "peer", "name", "eth0", "netns", machine);
    ip("-n", this.#router, "address", "add", `${gateway}/24`, "dev", cable);
    ip("-n", this.#router, "link", "set", cable, "up");
    ip("-n", machine, "address", "add", `${host}/24`, "dev", "eth0");
    ip("-n", machine, "link", "set", "eth0", "up");
    ip("-n", machine, "route", "add", "default", "via", gateway);
  }

  #forward(on: boolean): void {
    const command = `echo ${on ? 1 : 0} > /proc/sys/net/ipv4/ip_forward`;
    ip("netns", "exec", this.#router, "sh", "-c", command);
  }
}

interface LinkedMachine extends Machine {
  readonly machine: string;
  /** The router's address in its network. */
  readonly gateway: string;
}

function describe(name: keyof typeof NETWORKS): LinkedMachine {
  const [machine, network] = [nameOf(name), NETWORKS[name]];
  return { host: `${network}.2`, gateway: `${network}.1`, machine, prefix: ["ip", "netns", "exec", machine] };
}

/** Network namespaces need root. */
export const hasNamespaces = process.getuid?.() === 0 && canMakeOne();

function canMakeOne(): boolean {
  try {
    ip("netns", "add", nameOf("probe"));
    ip("netns", "del", nameOf("probe"));
    return true;
  } catch {
    return false;
  }
}

function nameOf(part: string): string {
  return `rolltape-${process.pid}-${part}`;
}

function ip(...args: readonly string[]): void {
  execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });
}
