import { spawnSync } from "node:child_process";

/** Interpreter of the comparisons with Python. */
export const PYTHON = process.env["PYTHON"] ?? "python3";

/**
 * Runs a Python program that reads JSON from standard input and writes JSON to standard output.
 *
 * @param install what to tell the user to install if the module is missing
 */
export function runPython<T>(
  needed: { module: string; install: string },
  program: readonly string[],
  input: unknown,
): T {
  const { status } = spawnSync(PYTHON, ["-c", `import ${needed.module}`], { stdio: "ignore" });
  if (status !== 0) {
    process.stderr.write(
      `${PYTHON} cannot import ${needed.module}: ${needed.install}, or name another interpreter with PYTHON\n`,
    );
    process.exit(1);
  }
  const run = spawnSync(PYTHON, program, {
    input: JSON.stringify(input),
    maxBuffer: 1 << 28,
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (run.status !== 0) throw new Error(`${program.join(" ")} ended with status ${run.status}`);
  return JSON.parse(run.stdout.toString()) as T;
}
