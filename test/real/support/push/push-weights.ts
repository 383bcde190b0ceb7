import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { engineEnvironment } from "../install-engine.js";

/** Folder of the Python programs, for PYTHONPATH. */
export const PUSH_FOLDER = fileURLToPath(new URL(".", import.meta.url));

/** Runs a trainer that pushes the weights of a folder to an engine server. */
export async function pushWeights(python: string, program: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(python, [`${PUSH_FOLDER}/${program}`, ...args], { env: engineEnvironment() });
}
