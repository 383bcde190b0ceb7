import type { Config } from "../config/index.js";
import { describeThrown } from "./class-name.js";
import type { Agent, RolloutWorkflow } from "./contract.js";
import { describe } from "./describe.js";
import { GroupedWorkflow } from "./grouped-workflow.js";
import { importString } from "./import-string.js";
import { ProxyWorkflow } from "./proxy-workflow.js";
import { isPythonAgent } from "./python/agent-file.js";
import { PythonAgent } from "./python/python-agent.js";
import { PythonWorkflow } from "./python/python-workflow.js";
import type { ResolveOptions } from "./resolve-options.js";
import { RetryingWorkflow } from "./retrying-workflow.js";
import { ProgramAgent } from "./subproc/program-agent.js";
import { SubprocAgent } from "./subproc/subproc-agent.js";
import { WorkflowError } from "./workflow-error.js";
import { isConfig, resolveWorkflowOptions } from "./workflow-options.js";

/** A class whose constructor receives the keyword arguments as one object. */
export type Constructor<Instance> = new (keywordArguments: never) => Instance;

/** A workflow, an agent, a class of either, or an import string that names one of these. */
export type WorkflowInput<Data = unknown> =
  | RolloutWorkflow<Data>
  | Agent<Data>
  | Constructor<RolloutWorkflow<Data>>
  | Constructor<Agent<Data>>
  | string;

/**
 * Creates a workflow:
 *
 * 1. A workflow is returned as it is.
 * 2. A class of workflows is constructed with the keyword arguments.
 * 3. A string that names a Python file (`agent.py:solve`) becomes a {@link PythonAgent}. Any other string is imported, and
 *    the result is resolved by the same rules.
 * 4. An agent (anything else with a `run` method) is wrapped in a {@link ProxyWorkflow}. A class of agents is
 *    constructed first.
 * 5. With `retries` the result is wrapped in a {@link RetryingWorkflow}.
 * 6. With `groupSize` > 1 the result is wrapped in a {@link GroupedWorkflow}.
 *
 * A configuration, instead of the options or as their `config`, fills in options that are not set.
 *
 * @throws WorkflowError that says what was received and what is expected
 */
export async function resolveWorkflow<Data = unknown>(
  input: WorkflowInput<Data>,
  optionsOrConfig: ResolveOptions | Config = {},
): Promise<RolloutWorkflow<Data>> {
  const { config, ...rest } = isConfig(optionsOrConfig) ? { config: optionsOrConfig } : optionsOrConfig;
  if (config?.rollout.agent.mode === "subproc") requireSubproc(input, config);
  const options = { ...resolveWorkflowOptions({ config, ...rest }), config };
  const { groupSize = 1, retries } = options;
  const resolved = (await resolveOne(input, options, [])) as RolloutWorkflow<Data>;
  const workflow = retries ? new RetryingWorkflow(resolved, retries) : resolved;
  return groupSize === 1 ? workflow : new GroupedWorkflow(workflow, groupSize, options);
}

/** Mode subproc needs a process pool. The caller must create it, because the caller must close it. */
function requireSubproc(input: unknown, { rollout: { agent } }: Config): void {
  const ownProcesses = [SubprocAgent, ProgramAgent, PythonAgent].some((type) => input instanceof type);
  if (ownProcesses || isPythonAgent(input) || isWorkflow(input)) return;
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
  if (isPythonAgent(input)) return new PythonWorkflow(await createPythonAgent(input, options), options);
  if (typeof input === "string") {
    if (imported.includes(input)) throw selfImport([...imported, input]);
    const found = await importString(input, options.directory ?? process.cwd());
    return resolveOne(found, options, [...imported, input]);
  }
  if (input instanceof PythonAgent) return new PythonWorkflow(input, options);
  if (isAgent(input)) return new ProxyWorkflow(input, options);
  if (isClassOf(input, "run")) return new ProxyWorkflow(construct<Agent>(input, options), options);
  throw notAWorkflow(input, imported);
}

/** Nobody can close this agent, so its processes end with this process. */
async function createPythonAgent(input: string, options: ResolveOptions): Promise<PythonAgent> {
  const { directory, keywordArguments, config } = options;
  const agent = new PythonAgent(input, { directory, keywordArguments, config });
  try {
    await agent.check();
    return agent;
  } catch (error) {
    agent.close();
    throw error;
  }
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
    const message = `The constructor of ${describe(constructor)} failed with ${names}: ${why}`;
    throw new WorkflowError("construction_failed", message, { cause: error });
  }
}

function selfImport(path: readonly string[]): WorkflowError {
  return new WorkflowError("invalid_import", `The import string must not lead back to itself: ${path.join(" → ")}.`);
}

function notAWorkflow(value: unknown, imported: readonly string[]): WorkflowError {
  const origin = imported.length > 0 ? ` from ${imported.map((text) => JSON.stringify(text)).join(" → ")}` : "";
  return new WorkflowError(
    "invalid_workflow",
    `Expected a workflow (with arunEpisode), an agent (with run), a class of either, or an import string "module#export" or ` +
      `"file.py:name" that names one; received ${describe(value)}${origin}.`,
  );
}
