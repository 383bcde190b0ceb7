import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../../cli/rolltape.js";

const PROGRAM = fileURLToPath(new URL("./fake-slurm.mjs", import.meta.url));
const NAMES = ["sbatch", "squeue", "scancel", "scontrol", "srun"];

/** Programs of Slurm on the path of this process, until the test ends. */
export class FakeSlurm {
  readonly #folder = temporaryFolder();

  constructor() {
    const bin = join(this.#folder, "bin");
    mkdirSync(bin);
    for (const name of NAMES) {
      writeFileSync(join(bin, name), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' ${name} "$@"\n`);
      chmodSync(join(bin, name), 0o755);
    }
    vi.stubEnv("PATH", [bin, process.env["PATH"]].join(delimiter));
    vi.stubEnv("FAKE_SLURM", this.#folder);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      this.#end();
    });
  }

  /** The arguments of each call of a program. */
  calls(program: string): string[][] {
    if (!existsSync(join(this.#folder, "calls"))) return [];
    const lines = readFileSync(join(this.#folder, "calls"), "utf8").split("\n").slice(0, -1);
    return lines
      .map((line) => JSON.parse(line) as string[])
      .filter(([name]) => name === program)
      .map(([, ...args]) => args);
  }

  /** sbatch refuses the job so. */
  refuse(why: string): void {
    this.#write("refuse", why);
  }

  /** The job waits for machines, for this reason. */
  keepWaiting(reason: string): void {
    this.#write("wait", reason);
  }

  /** Slurm's controller does not answer so many times. */
  beAway(times: number): void {
    this.#write("away", String(times));
  }

  /** The job's script cannot be signalled. */
  makeDeaf(): void {
    this.#write("deaf", "");
  }

  /** What Slurm says of the job; nothing: it has forgotten it. */
  say(state: string): void {
    this.#write("state", state);
  }

  /** Asks the script to stop, as Slurm does before the end of the job's time. */
  warn(): void {
    process.kill(this.#script(), "SIGTERM");
  }

  /** Ends the script as a machine failure would; it starts anew. */
  requeue(): void {
    this.#write("requeue", "");
    process.kill(this.#script(), "SIGKILL");
  }

  /** Ends everything on a machine, and takes no more for it. */
  takeDown(node: string): void {
    this.#write(`down-${node}`, "");
    for (const pid of this.#steps()) if (readEnvironment(pid).includes(`SLURMD_NODENAME=${node}`)) killGroup(pid);
  }

  /** Processes of steps that are left. */
  livingSteps(): number[] {
    return this.#steps().filter((pid) => readEnvironment(pid).length > 0);
  }

  #script(): number {
    return Number(readFileSync(join(this.#folder, "batch.pid"), "utf8"));
  }

  #steps(): number[] {
    const steps = join(this.#folder, "steps");
    if (!existsSync(steps)) return [];
    return readdirSync(steps).map((name) => Number(readFileSync(join(steps, name), "utf8")));
  }

  #write(name: string, text: string): void {
    // Nobody reads half of it.
    writeFileSync(join(this.#folder, `${name}.new`), text);
    renameSync(join(this.#folder, `${name}.new`), join(this.#folder, name));
  }

  /** What a failed test leaves running. */
  #end(): void {
    rmSync(join(this.#folder, "requeue"), { force: true });
    for (const pid of this.#steps()) killGroup(pid);
  }
}

/** Empty where the process is gone. */
function readEnvironment(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").filter(Boolean);
  } catch {
    return [];
  }
}

function killGroup(pid: number): void {
  try {
    if (pid > 0) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
