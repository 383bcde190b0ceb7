import type { JobSpec } from "../job.js";
import type { MachineAddress } from "../launcher.js";
import type { JobRole } from "../roles.js";
import { slurm } from "./command.js";
import { findGroupIndex, listGroups } from "./layout.js";
import type { MachineGroup } from "./slurm-options.js";

/** The machines of one group of roles. */
export interface AllocatedGroup {
  /** Slurm's id of the job, or of the group's part of a heterogeneous job. */
  readonly jobId: string;
  readonly places: readonly MachineAddress[];
}

/** The machines that Slurm allocated to this job, read from the environment inside the job. */
export class Allocation {
  readonly #groups: readonly MachineGroup[];
  readonly #allocated: readonly AllocatedGroup[];

  constructor(groups: readonly MachineGroup[], allocated: readonly AllocatedGroup[]) {
    this.#groups = groups;
    this.#allocated = allocated;
  }

  static async read(job: JobSpec, env: NodeJS.ProcessEnv): Promise<Allocation> {
    const groups = listGroups(job);
    const allocated = await Promise.all(
      groups.map(async (_, i) => {
        const read = (name: string) => env[groups.length > 1 ? `${name}_HET_GROUP_${i}` : name] ?? "";
        return { jobId: read("SLURM_JOB_ID"), places: await resolvePlaces(read("SLURM_JOB_NODELIST")) };
      }),
    );
    return new Allocation(groups, allocated);
  }

  place(role: JobRole, index: number): MachineAddress {
    const { places } = this.#findGroup(role);
    const place = places[index % places.length];
    if (!place) throw new Error(`Slurm allocated no machine to role ${role}`);
    return place;
  }

  jobId(role: JobRole): string {
    return this.#findGroup(role).jobId;
  }

  /** Returns the index of a role's group; undefined if the job has only one group. */
  hetGroup(role: JobRole): number | undefined {
    return this.#groups.length > 1 ? findGroupIndex(this.#groups, role) : undefined;
  }

  #findGroup(role: JobRole): AllocatedGroup {
    const group = this.#allocated[findGroupIndex(this.#groups, role)];
    if (!group) throw new Error(`role ${role} is in no group of machines`);
    return group;
  }
}

/** @param list machines in Slurm's notation: `gpu[01-04,07]` */
async function resolvePlaces(list: string): Promise<MachineAddress[]> {
  const nodes = (await slurm("scontrol", ["show", "hostnames", list])).split("\n").filter((line) => line !== "");
  const described = await slurm("scontrol", ["--oneliner", "show", "node", list]);
  const addresses = new Map<string, string>();
  for (const line of described.split("\n")) {
    const [name, address] = [/\bNodeName=(\S+)/.exec(line)?.[1], /\bNodeAddr=(\S+)/.exec(line)?.[1]];
    if (name !== undefined && address !== undefined) addresses.set(name, address);
  }
  return nodes.map((node) => ({ node, address: addresses.get(node) ?? node }));
}
