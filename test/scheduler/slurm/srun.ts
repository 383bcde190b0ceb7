import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../../cli/rolltape.js";

const HEAD = `#!/bin/sh
for plan; do :; done
read_field() { sed "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/" "$plan"; }
`;

/** Puts scripts of a shell in place of Slurm's programs on the PATH until the test ends. They start faster than `FakeSlurm`. */
export class SlurmScripts {
  readonly folder = temporaryFolder();
  readonly #bin = join(this.folder, "bin");

  constructor() {
    mkdirSync(this.#bin);
    vi.stubEnv("PATH", [this.#bin, process.env["PATH"]].join(delimiter));
    onTestFinished(() => void vi.unstubAllEnvs());
  }

  /** Writes a program, which runs in {@link folder} and appends its arguments to a file of its name. */
  write(name: string, script: string): void {
    const file = join(this.#bin, name);
    writeFileSync(file, `${HEAD}cd '${this.folder}'\nprintf '%s\\n' "$*" >> ${name}\n${script}\n`);
    chmodSync(file, 0o755);
  }

  /**
   * Writes an `srun` that reports a start at port 4321 as step 3, and then runs a script. `report CODE` reports the end. The script has
   * to end by itself.
   */
  writeSrun(script: string): void {
    const line = (fields: string) => `printf '{"life":"%s",${fields}}\\n' "$(read_field life)"`;
    const report = line('"event":"ended","code":%s,"text":"ended with status %s"');
    this.write(
      "srun",
      `report() { ${report} "$1" "$1" >> "$(read_field status)"; }
${line('"event":"started","step":"3","port":4321,"host":"n"')} >> "$(read_field status)"
${script}`,
    );
  }

  /** Returns the arguments of each call of a program, separated by spaces. */
  calls(name: string): string[] {
    const file = join(this.folder, name);
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  }

  /** Creates a file for which a script waits. */
  touch(name: string): void {
    writeFileSync(join(this.folder, name), "");
  }
}

/** A piece of script that waits until the file is there. */
export const waitFor = (name: string): string => `while [ ! -e ${name} ]; do sleep 0.01; done`;
