import { openTensors } from "../archive/open-file-access.js";
import { inspectBatch } from "../inspect/inspect-batch.js";
import { readShownRow } from "../inspect/read-shown-row.js";
import { describeBatch } from "../inspect/report.js";
import { reportJson, rowJson } from "../inspect/report-json.js";
import { describeRowText } from "../inspect/row-text.js";

export interface InspectOptions {
  /** Number of rows to list. */
  readonly rows?: number;
  /** A row to show as text. */
  readonly text?: number;
  /** Model folder whose tokenizer decodes the tokens. */
  readonly model?: string;
  readonly json?: boolean;
}

/** `rolltape inspect`: prints the content of a batch, or one row of it, on standard output. */
export async function inspect(path: string, { rows = 0, text, model, json = false }: InspectOptions): Promise<void> {
  await using file = await openTensors(path);
  if (text !== undefined) {
    const shown = await readShownRow(file, text, model);
    process.stdout.write(json ? `${JSON.stringify(rowJson(shown))}\n` : describeRowText(shown, hasColors()));
    return;
  }
  const batch = await inspectBatch(file);
  process.stdout.write(json ? `${JSON.stringify(reportJson(path, batch, rows))}\n` : describeBatch(path, batch, rows));
}

/** https://no-color.org: any value but the empty one turns colors off. */
function hasColors(): boolean {
  return process.stdout.isTTY && !process.env["NO_COLOR"];
}
