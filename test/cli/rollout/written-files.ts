import { readdirSync } from "node:fs";

/** Returns the names of the files in a folder, without the transcript and the metrics of a job. */
export const writtenFiles = (folder: string): string[] =>
  readdirSync(folder).filter((name) => !/\.safetensors\.(jsonl|jsonl\.index|metrics\.jsonl|tensorboard)$/.test(name));
