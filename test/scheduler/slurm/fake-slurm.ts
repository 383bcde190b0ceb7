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

/** Puts fake Slurm programs on the PATH of this process until the test ends. */
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

  /** Returns the arguments of each call of a program. */
  calls(program: string): string[][] {
    if (!existsSync(join(this.#folder, "calls"))) return [];
    const lines = readFileSync(join(this.#folder, "calls"), "utf8").split("\n").slice(0, -1);
    return lines
      .map((line) => JSON.parse(line) as string[])
      .filter(([name]) => name === program)
      .map(([, ...args]) => args);
  }

  /** Makes sbatch refuse the job with this message. */
  refuse(why: string): void {
    this.#write("refuse", why);
  }

  /** Makes the job wait for machines, with this reason. */
  keepWaiting(reason: string): void {
    this.#write("wait", reason);
  }

  /** Makes Slurm's controller fail to answer this many times. */
  beAway(times: number): void {
    this.#write("away", String(times));
  }

  /** Makes signals to the job's script fail. */
  makeDeaf(): void {
    this.#write("deaf", "");
  }

  /** Sets the state that Slurm reports for the job. An empty text: Slurm has forgotten the job. */
  say(state: string): void {
    this.#write("state", state);
  }

  /** Asks the script to stop, as Slurm does before the time limit of the job. */
  warn(): void {
    process.kill(this.#script(), "SIGTERM");
  }

  /** Ends the script like a failure of its machine. Slurm then restarts it. */
  requeue(): void {
    this.#write("requeue", "");
    process.kill(this.#script(), "SIGKILL");
  }

  /** Ends everything on a machine, and starts nothing there any more. */
  takeDown(node: string): void {
    this.#write(`down-${node}`, "");
    for (const pid of this.#steps()) if (readEnvironment(pid).includes(`SLURMD_NODENAME=${node}`)) killGroup(pid);
  }

  /** Returns the step processes that still run. */
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
    // The rename keeps readers from seeing an incomplete file.
    writeFileSync(join(this.#folder, `${name}.new`), text);
    renameSync(join(this.#folder, `${name}.new`), join(this.#folder, name));
  }

  /** Ends what a failed test leaves running. */
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
