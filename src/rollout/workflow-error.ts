import { CodedError } from "../support/coded-error.js";
import { describe } from "./describe.js";

/**
 * Why no workflow could be made.
 *
 * - `invalid_workflow`: what was given is not one, nor an agent.
 * - `invalid_import`: an import string that names no module, or imports itself.
 * - `import_failed`: the module was not found, or threw.
 * - `export_not_found`: the module does not export the name.
 * - `construction_failed`: the class threw.
 * - `invalid_option`: an option is out of its range.
 */
export type WorkflowErrorCode =
  | "invalid_workflow"
  | "invalid_import"
  | "import_failed"
  | "export_not_found"
  | "construction_failed"
  | "invalid_option";

export class WorkflowError extends CodedError<WorkflowErrorCode> {
  override readonly name = "WorkflowError";
}

export function invalidOption(name: string, given: unknown, expected: string): WorkflowError {
  return new WorkflowError("invalid_option", `${name} is ${describe(given)}. Expected: ${expected}.`);
}
