import { randomUUID } from "node:crypto";
import type { JobSpec } from "../job.js";
import type { LaunchedProcess, Launcher, MachineAddress, ProcessPlan } from "../launcher.js";
import type { JobRole } from "../roles.js";
import { RunningProcess } from "../running-process.js";
import type { Allocation } from "./allocation.js";
import { nodeProgram } from "./node-program.js";
import { StepFiles } from "./step/step-files.js";
import { StepProcess } from "./step/step-process.js";

/** Options that give a step exclusive resources of its machine. */
const OWN_RESOURCES = /^--(exact|exclusive)\b/;

/** Runs each process as a step (`srun`) of the current Slurm job. */
export class SlurmLauncher implements Launcher {
  readonly #job: JobSpec;
  readonly #allocation: Allocation;
  readonly #ports = new Map<string, number>();

  constructor(job: JobSpec, allocation: Allocation) {
    this.#job = job;
    this.#allocation = allocation;
  }

  place(role: JobRole, index: number): MachineAddress {
    return this.#allocation.place(role, index);
  }

  async launch({ role, index, command, env, output, errors }: ProcessPlan): Promise<LaunchedProcess> {
    const name = `${role}-${index}`;
    const files = new StepFiles(this.#job.folder, role, index);
    const life = randomUUID();
    files.prepare({ life, command: [...command], env: { ...env }, port: this.#ports.get(name) ?? 0 });
    const running = new RunningProcess({
      command: ["srun", ...this.#options(role, index), ...nodeProgram("step/step-main"), files.plan],
      env: {},
      output,
      errors,
    });
    const step = new StepProcess({ running, files, life, jobId: this.#allocation.jobId(role), errors });
    return {
      ended: step.ended,
      stop: (seconds) => step.stop(seconds),
      started: async (signal) => {
        const port = await step.started(signal);
        this.#ports.set(name, Number(port));
        return port;
      },
    };
  }

  #options(role: JobRole, index: number): string[] {
    const stepOptions = this.#job.slurm.step_options[role] ?? [];
    const group = this.#allocation.hetGroup(role);
    return [
      "--nodes=1",
      "--ntasks=1",
      `--nodelist=${this.place(role, index).node}`,
      `--job-name=${role}-${index}`,
      "--export=ALL",
      ...(group === undefined ? [] : [`--het-group=${group}`]),
      // Without --overlap, the first process on a machine would get all of its resources, and the others would wait.
      ...(stepOptions.some((option) => OWN_RESOURCES.test(option)) ? [] : ["--overlap"]),
      ...stepOptions,
    ];
  }
}
