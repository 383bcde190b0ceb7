import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";

/** Returns the first Python that can import these modules; undefined if there is none. Installs nothing. */
export function findPython(...modules: readonly string[]): string | undefined {
  const code = modules.length > 0 ? `import ${modules.join(", ")}` : "";
  return ["python3", "/usr/bin/python3"].find((command) => spawnSync(command, ["-c", code]).status === 0);
}

/** Runs a script of bench/python that answers every line on its standard input with one line of JSON. */
export class PythonPeer {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #interface: Interface;

  constructor(python: string, script: string, ...args: readonly string[]) {
    const path = new URL(`../python/${script}`, import.meta.url).pathname;
    const child = spawn(python, ["-u", path, ...args], { stdio: ["pipe", "pipe", "inherit"] });
    this.#child = child;
    this.#interface = createInterface(child.stdout);
    this.#lines = this.#interface[Symbol.asyncIterator]();
  }

  async ask<Reply>(line: string): Promise<Reply> {
    this.#child.stdin?.write(`${line}\n`);
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error("the Python program ended without an answer");
    return JSON.parse(value) as Reply;
  }

  async close(): Promise<void> {
    const exit = this.#child.exitCode === null ? once(this.#child, "exit") : undefined;
    this.#child.stdin?.end();
    await exit;
    this.#interface.close();
  }
}
