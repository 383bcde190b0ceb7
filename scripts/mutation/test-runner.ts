import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import type { TestOrder, TestOutcome } from "./test-process.js";

/** Runs tests in a process of its own, which is replaced if it takes too long: a mutant may loop for ever. */
export class TestRunner {
  readonly #root: string;
  #child: ChildProcess | undefined;

  /** @param root the copy of the tree */
  constructor(root: string) {
    this.#root = root;
  }

  /** Resolves with undefined if the tests did not end in time, or their process died. */
  async run(order: TestOrder, limitMilliseconds: number): Promise<TestOutcome | undefined> {
    const child = (this.#child ??= await this.#start());
    const outcome = await new Promise<TestOutcome | undefined>((resolve) => {
      const timer = setTimeout(() => settle(undefined), limitMilliseconds);
      const settle = (result: TestOutcome | undefined) => {
        clearTimeout(timer);
        child.off("message", settle);
        child.off("exit", died);
        resolve(result);
      };
      const died = () => settle(undefined);
      child.on("message", settle);
      child.on("exit", died);
      child.send(order);
    });
    if (!outcome) this.stop();
    return outcome;
  }

  stop(): void {
    const { pid } = this.#child ?? {};
    this.#child = undefined;
    if (pid === undefined) return;
    try {
      // Its group: the processes that run test files, and what tests have started, go with it.
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(join(this.#root, "scripts", "mutation", "test-process.ts"), {
      cwd: this.#root,
      execArgv: ["--import", "tsx"],
      detached: true,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    await new Promise<void>((resolve, reject) => {
      child.once("message", () => resolve());
      child.once("exit", (code) =>
        reject(new Error(`The test process ended with status ${code} before it ran tests.`)),
      );
    });
    child.removeAllListeners("exit");
    return child;
  }
}
