import { runDemo } from "../demo/run-demo.js";

export interface DemoOptions {
  /** The file to write the batch to. */
  readonly out: string;
}

/** `rolltape demo`: runs a dozen episodes with the tiny model and writes their batch. Progress goes to standard error. */
export async function demo({ out }: DemoOptions): Promise<void> {
  const text = await runDemo(out, (line) => process.stderr.write(`${line}\n`));
  process.stdout.write(`${text}\n`);
}
