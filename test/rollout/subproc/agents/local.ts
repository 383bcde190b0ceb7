import { spawn } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";

/** The data of an agent: what it must do. */
export interface Order {
  readonly do?: string;
  readonly file?: string;
}

const names = ["COMPAT_BASE_URL", "COMPAT_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "LEFT_BEHIND"] as const;
const keyAtImport = process.env.COMPAT_API_KEY;

/** A synchronous agent. It returns its process id as the reward, or misbehaves as ordered. */
export const obedient = {
  run(order: Order): unknown {
    if (order.do === "pid") return process.pid;
    if (order.do === "crash") process.kill(process.pid, "SIGSEGV");
    if (order.do === "os._exit") {
      process.stderr.write("no GPU here\n", () => process.exit(7));
      return new Promise(() => {});
    }
    if (order.do === "raise") throw new TypeError("the tool is broken");
    if (order.do === "function") return { id: () => 1 };
    if (order.do === "proxy") return new Proxy({ id: 1 }, {});
    if (order.do === "throw something odd") throw Object.create(null);
    if (order.do === "throw with a code") throw Object.assign(new Error("no file"), { code: "ENOENT" });
    if (order.do === "move") process.chdir("/");
    if (order.do === "where") return { [process.cwd()]: process.pid };
    if (order.do === "lie") {
      const lie = { type: "done", value: 99, reusable: true };
      process.send?.(lie);
      process.send?.(lie);
    }
    if (order.do === "parent") return becomeParent(order);
    if (order.do === "timer") setTimeout(() => {}, 3_600_000);
    return process.pid;
  },
};

/** Returns its environment variables, and sets one of its own. */
export const environment = {
  async run(_: unknown, context: object) {
    const seen = Object.fromEntries(names.map((name) => [name, process.env[name] ?? null]));
    process.env.LEFT_BEHIND = process.env.COMPAT_API_KEY;
    return { ...seen, keyAtImport: keyAtImport ?? null, context: Object.keys(context) };
  },
};

/** Starts a child that survives a kill of only its parent, writes the child's process id to a file, and hangs. */
function becomeParent({ file = "" }: Order): Promise<number> {
  const child = spawn("sleep", ["3600"], { stdio: "ignore" });
  writeFileSync(`${file}.partial`, String(child.pid));
  renameSync(`${file}.partial`, file);
  return new Promise(() => {});
}

/** Sent to the process as an instance. The class names its module. */
export class Scaled {
  static readonly module = import.meta.url;
  readonly factor: number;
  helper: unknown;

  constructor(factor: number, helper?: unknown) {
    this.factor = factor;
    this.helper = helper;
  }

  run(data: { readonly score: number }): number {
    return this.scale(data.score);
  }

  private scale(score: number): number {
    return score * this.factor;
  }
}

/** Sent to the process as a class, by name. */
export class Configured {
  readonly #reward: number;

  constructor({ reward = 0 }: { reward?: number }) {
    this.#reward = reward;
  }

  run(): Map<string, number> {
    return new Map([["chatcmpl-1", this.#reward]]);
  }
}

export const redirected = "./local.ts#obedient";
