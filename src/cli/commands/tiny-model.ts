import { ensureTinyModel } from "../../engine/index.js";

/** `rolltape tiny-model`: makes the folder of the tiny model, unless it exists, and prints it. */
export async function tinyModel(): Promise<void> {
  const { folder } = await ensureTinyModel();
  process.stdout.write(`${folder}\n`);
}
