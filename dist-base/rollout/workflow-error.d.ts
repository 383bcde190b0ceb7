import { CodedError } from "../support/coded-error.js";
/**
 * Why no workflow could be created.
 *
 * - `invalid_workflow`: the value is neither a workflow nor an agent.
 * - `invalid_import`: an import string names no module, or leads back to itself.
 * - `import_failed`: the module was not found, or threw.
 * - `export_not_found`: the module does not export the name.
 * - `construction_failed`: the constructor of a class threw.
 * - `invalid_option`: an option is out of its range.
 */
export type WorkflowErrorCode = "invalid_workflow" | "invalid_import" | "import_failed" | "export_not_found" | "construction_failed" | "invalid_option";
export declare class WorkflowError extends CodedError<WorkflowErrorCode> {
    readonly name = "WorkflowError";
}
export declare function invalidOption(name: string, value: unknown, expected: string): WorkflowError;
