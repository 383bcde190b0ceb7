import type { RunLine } from "../../transcript/format.js";
import { hasDigest, loadEntries } from "../tokens/load-entries.js";
import type { TokenEntries } from "../tokens/token-texts.js";

/** The vocabulary that turns tokens into text, and notices about its choice. */
export interface TextChoice {
  /** Undefined if the tokenizer is not known. */
  readonly entries: TokenEntries | undefined;
  readonly notices: readonly string[];
}

/** The model of a run. */
export type ModelOrigin = Pick<RunLine, "model_digest" | "model_path">;

/**
 * Chooses the tokenizer: that of the folder that the user names, else the job's own folder if its digest is still that of the
 * job.
 *
 * @throws ModelFolderError if the folder that the user names cannot be used
 */
export async function chooseTexts(folder: string | undefined, origin: ModelOrigin | null): Promise<TextChoice> {
  const { model_digest: expected, model_path: path } = origin ?? {};
  if (folder !== undefined) {
    const { entries, digest } = await loadEntries(folder);
    const differs = expected !== undefined && digest !== expected;
    const notice = `The tokenizer or template of ${folder} is not that of the job: the texts of tokens may be wrong.`;
    return { entries, notices: differs ? [notice] : [] };
  }
  if (path !== undefined && expected !== undefined && (await hasDigest(path, expected))) {
    const loaded = await loadEntries(path).catch(() => undefined);
    if (loaded) return { entries: loaded.entries, notices: [] };
  }
  const reason = path === undefined ? "its model folder is not known" : "its model folder is missing or has changed";
  return {
    entries: undefined,
    notices: [`Tokens are shown as ids only, because ${reason}. Start with --model FOLDER to see their texts.`],
  };
}
