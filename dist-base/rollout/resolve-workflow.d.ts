import type { Config } from "../config/index.js";
import type { Agent, RolloutWorkflow } from "./contract.js";
import type { ResolveOptions } from "./resolve-options.js";
/** A class whose constructor receives the keyword arguments as one object. */
export type Constructor<Instance> = new (keywordArguments: never) => Instance;
/** A workflow, an agent, a class of either, or an import string that names one of these. */
export type WorkflowInput<Data = unknown> = RolloutWorkflow<Data> | Agent<Data> | Constructor<RolloutWorkflow<Data>> | Constructor<Agent<Data>> | string;
/**
 * Creates a workflow:
 *
 * 1. A workflow is returned as it is.
 * 2. A class of workflows is constructed with the keyword arguments.
 * 3. A string that names a Python file (`agent.py:solve`) becomes a {@link PythonAgent}. Any other string is imported, and
 *    the result is resolved by the same rules.
 * 4. An agent (anything else with a `run` method) is wrapped in a {@link ProxyWorkflow}. A class of agents is
 *    constructed first.
 * 5. With `groupSize` > 1 the result is wrapped in a {@link GroupedWorkflow}.
 *
 * A configuration, instead of the options or as their `config`, fills in options that are not set.
 *
 * @throws WorkflowError that says what was received and what is expected
 */
export declare function resolveWorkflow<Data = unknown>(input: WorkflowInput<Data>, optionsOrConfig?: ResolveOptions | Config): Promise<RolloutWorkflow<Data>>;
