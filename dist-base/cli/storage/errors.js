import { CodedError } from "../../support/coded-error.js";
export class StorageCommandError extends CodedError {
    name = "StorageCommandError";
}
//# sourceMappingURL=errors.js.map