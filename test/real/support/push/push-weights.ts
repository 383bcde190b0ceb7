import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { engineEnvironment } from "../install-engine.js";

/** Folder of the Python programs, for PYTHONPATH. */
export const PUSH_FOLDER = fileURLToPath(new URL(".", import.meta.url));

/** Runs a trainer that pushes the weights of a folder to an engine server. */
export async function pushWeights(python: string, program: string, args: readonly string[]): Promise<void> {
  const trainer = spawn(python, [`${PUSH_FOLDER}/${program}`, ...args], {
    env: engineEnvironment(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  trainer.stderr.on("data", (piece: Buffer) => (errors += piece.toString()));
  const [code] = (await once(trainer, "exit")) as [number | null];
  // The manager of torch's shared memory, which the trainer has started, keeps the output open.
  trainer.stderr.destroy();
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${errors}`);
}
