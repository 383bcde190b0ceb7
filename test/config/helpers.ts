import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { ConfigError, type ConfigProblem } from "../../src/config/index.js";

/** Creates a folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Writes a YAML file with this text. */
export function yamlFile(text: string): string {
  const file = join(temporaryFolder(), "rolltape.yaml");
  writeFileSync(file, text);
  return file;
}

/** Returns the ConfigError that `action` must throw. */
export function catchConfigError(action: () => unknown): ConfigError {
  try {
    action();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("expected a ConfigError, nothing was thrown");
}

/** Returns the messages of the ConfigError that `action` must throw, by path. */
export function readProblems(action: () => unknown): Record<string, string> {
  const toEntry = ({ path, message }: ConfigProblem) => [path, message] as const;
  return Object.fromEntries(catchConfigError(action).problems.map(toEntry));
}
