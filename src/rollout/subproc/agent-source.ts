import { describe } from "../describe.js";
import { WorkflowError } from "../workflow-error.js";
import { assertSerializable } from "./serializable.js";

/** How an agent travels to another process: by the name of its module and what it is made of, never by its code. */
export type AgentSource = ImportedAgent | AgentInstance;

export interface ImportedAgent {
  readonly kind: "import";
  /** `module#export`: an agent, or a class of agents. */
  readonly specifier: string;
  /** Where the string looks for files. */
  readonly directory: string;
  /** What a class is constructed with. */
  readonly keywordArguments: Readonly<Record<string, unknown>>;
}

export interface AgentInstance {
  readonly kind: "instance";
  /** URL of the module that exports the class. */
  readonly module: string;
  readonly className: string;
  /** The instance's own properties. */
  readonly state: Readonly<Record<string, unknown>>;
}

export interface AgentSourceOptions {
  /** Default: the working directory. */
  readonly directory?: string | undefined;
  readonly keywordArguments?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * An agent as worker processes can make it: from an import string; or from an instance whose class says where it is
 * exported, with `static readonly module = import.meta.url`. Such an instance's own properties are copied, as they are
 * now.
 *
 * @throws SubprocError `not_serializable`, naming the property
 * @throws WorkflowError `invalid_workflow`, for what is neither
 */
export function agentSource(agent: unknown, options: AgentSourceOptions = {}): AgentSource {
  const { directory = process.cwd(), keywordArguments = {} } = options;
  if (typeof agent === "string") {
    assertSerializable(keywordArguments, "keywordArguments");
    return { kind: "import", specifier: agent, directory, keywordArguments };
  }
  const { constructor: type } = (agent ?? {}) as { constructor?: { name?: unknown; module?: unknown } };
  if (typeof type?.module !== "string" || typeof type.name !== "string" || type.name === "") throw unnamed(agent);
  const state = { ...(agent as object) };
  assertSerializable(state, "agent");
  return { kind: "instance", module: type.module, className: type.name, state };
}

function unnamed(agent: unknown): WorkflowError {
  return new WorkflowError(
    "invalid_workflow",
    `Given: ${describe(agent)}. Expected, for agents in subprocesses: an import string "module#export", or an ` +
      "instance of a class that says where it is exported: static readonly module = import.meta.url.",
  );
}
