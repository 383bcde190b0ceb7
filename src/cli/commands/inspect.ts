import { inspectBatch } from "../inspect/inspect-batch.js";
import { describeBatch } from "../inspect/report.js";
import { TensorFile } from "../inspect/safetensors-file.js";

/** `rolltape inspect`: what a batch holds, on standard output. */
export async function inspect(path: string, { rows = 0 }: { readonly rows?: number }): Promise<void> {
  await using file = await TensorFile.open(path);
  process.stdout.write(describeBatch(path, await inspectBatch(file), rows));
}
