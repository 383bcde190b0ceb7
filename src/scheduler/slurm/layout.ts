import { SchedulerError } from "../errors.js";
import type { JobSpec } from "../job.js";
import type { Role } from "../roles.js";
import type { MachineGroup } from "./slurm-options.js";

/**
 * The groups of machines of a job.
 *
 * @throws {@link SchedulerError} `job_invalid` where a role has no machines or several, or a rollout worker would have no
 * proxy beside it
 */
export function groupsOf(job: JobSpec): readonly MachineGroup[] {
  const groups = job.slurm.groups ?? [{ roles: job.roles.map(({ role }) => role), nodes: 1, options: [] }];
  const problems = [...placeProblems(job, groups), ...besideProblems(job, groups)];
  if (problems.length > 0) throw new SchedulerError("job_invalid", problems.join("\n"));
  return groups;
}

/** Which group a role is in. */
export function groupIndex(groups: readonly MachineGroup[], role: Role): number {
  return groups.findIndex(({ roles }) => roles.includes(role));
}

function placeProblems({ roles }: JobSpec, groups: readonly MachineGroup[]): string[] {
  const placed = groups.flatMap((group) => group.roles);
  const known = new Set(roles.map(({ role }) => role));
  const missing = [...known].filter((role) => !placed.includes(role));
  const unknown = placed.filter((role) => !known.has(role));
  const twice = placed.filter((role, i) => placed.indexOf(role) !== i);
  return [
    ...missing.map((role) => `slurm.groups: expected every role in one group, ${role} is in none`),
    ...twice.map((role) => `slurm.groups: expected every role in one group, ${role} is named again`),
    ...unknown.map((role) => `slurm.groups: ${role} is no role of the job, which has ${[...known].join(", ")}`),
  ];
}

/** A rollout worker calls the proxy on its own machine. */
function besideProblems({ roles }: JobSpec, groups: readonly MachineGroup[]): string[] {
  const [proxies, workers] = [roles.find(({ role }) => role === "proxy"), roles.find(({ role }) => role === "rollout")];
  if (!proxies || !workers) return [];
  const group = groups[groupIndex(groups, "proxy")];
  if (!group?.roles.includes("rollout")) {
    return [
      "slurm.groups: expected proxy and rollout in the same group, so that a proxy is beside each rollout worker",
    ];
  }
  if (proxies.count >= workers.count || proxies.count % group.nodes === 0) return [];
  return [
    `slurm.groups: ${proxies.count} proxies are not beside each of ${workers.count} rollout workers on ${group.nodes} ` +
      "machines: expected as many proxies as rollout workers, or a multiple of the machines",
  ];
}
