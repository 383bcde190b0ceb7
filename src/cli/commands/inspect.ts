import { TensorFile } from "../../support/safetensors/tensor-file.js";
import { inspectBatch } from "../inspect/inspect-batch.js";
import { describeBatch } from "../inspect/report.js";

/** `rolltape inspect`: prints the content of a batch on standard output. */
export async function inspect(path: string, { rows = 0 }: { readonly rows?: number }): Promise<void> {
  await using file = await TensorFile.open(path);
  process.stdout.write(describeBatch(path, await inspectBatch(file), rows));
}
