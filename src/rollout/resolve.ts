import type { Config } from "../config/index.js";
import { describeThrown } from "./class-name.js";
import { isConfig, workflowOptions } from "./configured.js";
import type { Agent, RolloutWorkflow } from "./contract.js";
import { describe } from "./describe.js";
import { GroupedWorkflow } from "./grouped-workflow.js";
import { importString } from "./import-string.js";
import { ProxyWorkflow } from "./proxy-workflow.js";
import type { ResolveOptions } from "./resolve-options.js";
import { ProgramAgent } from "./subproc/program-agent.js";
import { SubprocAgent } from "./subproc/subproc-agent.js";
import { WorkflowError } from "./workflow-error.js";

/** A class, constructed with the keyword arguments as one object. */
export type Constructor<Instance> = new (keywordArguments: never) => Instance;

/** What a trainer may give: a workflow, an agent, the class of either, or an import string that names any of them. */
export type WorkflowInput<Data = unknown> =
  | RolloutWorkflow<Data>
  | Agent<Data>
  | Constructor<RolloutWorkflow<Data>>
  | Constructor<Agent<Data>>
  | string;

/**
 * Makes a workflow of what a trainer gives:
 *
 * 1. a workflow is taken as it is;
 * 2. a class of workflows is constructed with the keyword arguments;
 * 3. a string is imported and resolved by these same rules;
 * 4. anything else with a `run` method is an agent and wrapped into a {@link ProxyWorkflow}; a class whose instances have
 *    one is constructed first;
 * 5. with `groupSize` > 1 the result is wrapped into a {@link GroupedWorkflow}.
 *
 * A configuration in place of the options, or as their `config`, says what the options leave open.
 *
 * Throws a {@link WorkflowError} that says what was given and what was expected.
 */
export async function resolveWorkflow<Data = unknown>(
  input: WorkflowInput<Data>,
  given: ResolveOptions | Config = {},
): Promise<RolloutWorkflow<Data>> {
  const { config, ...rest } = isConfig(given) ? { config: given } : given;
  if (config?.rollout.agent.mode === "subproc") requireSubproc(input, config);
  const options = workflowOptions({ config, ...rest });
  const { groupSize = 1 } = options;
  const workflow = (await resolveOne(input, options, [])) as RolloutWorkflow<Data>;
  return groupSize === 1 ? workflow : new GroupedWorkflow(workflow, groupSize, options);
}

/** Agents in processes of their own need a pool, which somebody must close. */
function requireSubproc(input: unknown, { rollout: { agent } }: Config): void {
  if (input instanceof SubprocAgent || input instanceof ProgramAgent || isWorkflow(input)) return;
  throw new WorkflowError(
    "invalid_option",
    `rollout.agent.mode is subproc, but ${describe(input)} would run in this process. Give resolveWorkflow a SubprocAgent ` +
      `with a ProcessPool of rollout.agent.subproc_max_workers (${agent.subproc_max_workers}) processes, or set the mode to inline.`,
  );
}

async function resolveOne(
  input: unknown,
  options: ResolveOptions,
  imported: readonly string[],
): Promise<RolloutWorkflow> {
  if (isWorkflow(input)) return input;
  if (isClassOf(input, "arunEpisode")) return construct<RolloutWorkflow>(input, options);
  if (typeof input === "string") {
    if (imported.includes(input)) throw selfImport([...imported, input]);
    const found = await importString(input, options.directory ?? process.cwd());
    return resolveOne(found, options, [...imported, input]);
  }
  if (isAgent(input)) return new ProxyWorkflow(input, options);
  if (isClassOf(input, "run")) return new ProxyWorkflow(construct<Agent>(input, options), options);
  throw notAWorkflow(input, imported);
}

function isWorkflow(value: unknown): value is RolloutWorkflow {
  return hasMethod(value, "arunEpisode");
}

function isAgent(value: unknown): value is Agent {
  return hasMethod(value, "run");
}

function hasMethod(value: unknown, name: string): boolean {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
  return typeof (value as Readonly<Record<string, unknown>>)[name] === "function";
}

function isClassOf(value: unknown, method: string): value is Constructor<unknown> {
  return typeof value === "function" && hasMethod(value.prototype, method);
}

function construct<Instance>(constructor: Constructor<unknown>, { keywordArguments = {} }: ResolveOptions): Instance {
  try {
    return new constructor(keywordArguments as never) as Instance;
  } catch (error) {
    const names = Object.keys(keywordArguments).join(", ") || "no keyword arguments";
    const why = describeThrown(error);
    const message = `${describe(constructor)} could not be constructed with ${names}: ${why}`;
    throw new WorkflowError("construction_failed", message, { cause: error });
  }
}

function selfImport(path: readonly string[]): WorkflowError {
  return new WorkflowError("invalid_import", `An import string leads back to itself: ${path.join(" → ")}.`);
}

function notAWorkflow(value: unknown, imported: readonly string[]): WorkflowError {
  const origin = imported.length > 0 ? ` by way of ${imported.map((each) => JSON.stringify(each)).join(" → ")}` : "";
  return new WorkflowError(
    "invalid_workflow",
    `Given: ${describe(value)}${origin}. Expected: a workflow (with arunEpisode), an agent (with run), the class of ` +
      `either, or an import string "module#export" that names one.`,
  );
}
