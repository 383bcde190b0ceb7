import { CodedError } from "../support/coded-error.js";
/** The configuration is invalid. `problems` lists everything that is wrong. Values of secret keys are not shown. */
export class ConfigError extends CodedError {
    name = "ConfigError";
    problems;
    constructor(code, problems, options) {
        super(code, problems.map(({ path, message }) => `${path}: ${message}`).join("\n"), options);
        this.problems = problems;
    }
}
//# sourceMappingURL=errors.js.map