import { CodedError } from "../support/coded-error.js";
/**
 * `config_unreadable`: the file cannot be read. `config_syntax`: it is not YAML. `config_invalid`: a key is unknown or
 * has a value that it cannot have.
 */
export type ConfigErrorCode = "config_unreadable" | "config_syntax" | "config_invalid";

/** One thing that is wrong with a configuration. */
export interface ConfigProblem {
  /** The key's full path, the file or the argument that it is about. */
  readonly path: string;
  readonly message: string;
}

/** A configuration that cannot be used, with everything that is wrong with it. Values of secret keys are not shown. */
export class ConfigError extends CodedError<ConfigErrorCode> {
  override readonly name = "ConfigError";
  readonly problems: readonly ConfigProblem[];

  constructor(code: ConfigErrorCode, problems: readonly ConfigProblem[], options?: ErrorOptions) {
    super(code, problems.map(({ path, message }) => `${path}: ${message}`).join("\n"), options);
    this.problems = problems;
  }
}
