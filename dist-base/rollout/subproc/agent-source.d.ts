/** The form in which an agent is sent to another process: the name of its module and its data, never its code. */
export type AgentSource = ImportedAgent | AgentInstance;
export interface ImportedAgent {
    readonly kind: "import";
    /** `module#export`: an agent, or a class of agents. */
    readonly specifier: string;
    /** Folder in which the specifier looks for files. */
    readonly directory: string;
    /** Argument of the constructor, if the export is a class. */
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
 * Returns the source of an agent, from which worker processes can create it.
 *
 * @param agent an import string, or an instance whose class names its module with `static readonly module =
 * import.meta.url`. The instance's own properties are copied as they are now.
 * @throws SubprocError `not_serializable`, naming the property
 * @throws WorkflowError `invalid_workflow` if `agent` is neither
 */
export declare function createAgentSource(agent: unknown, options?: AgentSourceOptions): AgentSource;
