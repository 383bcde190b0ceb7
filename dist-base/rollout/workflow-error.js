import { CodedError } from "../support/coded-error.js";
import { describe } from "./describe.js";
export class WorkflowError extends CodedError {
    name = "WorkflowError";
}
export function invalidOption(name, value, expected) {
    return new WorkflowError("invalid_option", `${name} must be ${expected}; received ${describe(value)}.`);
}
//# sourceMappingURL=workflow-error.js.map