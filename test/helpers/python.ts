import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

export const noPython = spawnSync("python3", ["-c", ""]).status !== 0;

/** A Python program that replies to each line with a line of JSON. It is stopped when the test ends. */
export class PythonProgram<Answer> {
  readonly process: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  /** @param args arguments of `python3`: the path of a file, or `-c` and a program text */
  constructor(...args: string[]) {
    this.process = spawn("python3", args);
    this.#lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
    onTestFinished(() => void this.process.kill("SIGKILL"));
  }

  async ask(line: string): Promise<Answer> {
    this.process.stdin.write(`${line}\n`);
    const { value } = (await this.#lines.next()) as { value?: string };
    if (value === undefined) throw new Error("the program has gone");
    return JSON.parse(value) as Answer;
  }
}
