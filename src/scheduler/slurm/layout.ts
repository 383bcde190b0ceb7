import { SchedulerError } from "../errors.js";
import type { JobSpec } from "../job.js";
import type { JobRole } from "../roles.js";
import type { MachineGroup } from "./slurm-options.js";

/**
 * Returns the groups of machines of a job.
 *
 * @throws {@link SchedulerError} `job_invalid` if a role is in no group or in several, or if a rollout worker would
 * have no proxy on its machine
 */
export function listGroups(job: JobSpec): readonly MachineGroup[] {
  const groups = job.slurm.groups ?? [{ roles: job.roles.map(({ role }) => role), nodes: 1, options: [] }];
  const problems = [...findPlacementProblems(job, groups), ...findProxyProblems(job, groups)];
  if (problems.length > 0) throw new SchedulerError("job_invalid", problems.join("\n"));
  return groups;
}

/** Returns the index of a role's group. */
export function findGroupIndex(groups: readonly MachineGroup[], role: JobRole): number {
  return groups.findIndex(({ roles }) => roles.includes(role));
}

function findPlacementProblems({ roles }: JobSpec, groups: readonly MachineGroup[]): string[] {
  const placed = groups.flatMap((group) => group.roles);
  const known = new Set(roles.map(({ role }) => role));
  const missing = [...known].filter((role) => !placed.includes(role));
  const unknown = placed.filter((role) => !known.has(role));
  const repeated = placed.filter((role, i) => placed.indexOf(role) !== i);
  return [
    ...missing.map((role) => `slurm.groups: expected every role in exactly one group, but ${role} is in none`),
    ...repeated.map((role) => `slurm.groups: expected every role in exactly one group, but ${role} is in several`),
    ...unknown.map((role) => `slurm.groups: expected roles of the job (${[...known].join(", ")}), got ${role}`),
  ];
}

/** Checks that every rollout worker has a proxy on its own machine, which it calls. */
function findProxyProblems({ roles }: JobSpec, groups: readonly MachineGroup[]): string[] {
  const [proxies, workers] = [roles.find(({ role }) => role === "proxy"), roles.find(({ role }) => role === "rollout")];
  if (!proxies || !workers) return [];
  const group = groups[findGroupIndex(groups, "proxy")];
  if (!group?.roles.includes("rollout")) {
    return [
      "slurm.groups: expected proxy and rollout in the same group, so that each rollout worker has a proxy on its machine",
    ];
  }
  if (proxies.count >= workers.count || proxies.count % group.nodes === 0) return [];
  return [
    `slurm.groups: expected as many proxies as rollout workers (${workers.count}), or a multiple of the machines ` +
      `(${group.nodes}), so that each rollout worker has a proxy on its machine; got ${proxies.count} proxies`,
  ];
}
