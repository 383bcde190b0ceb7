import { hasDigest, type LoadedEntries, loadEntries } from "../../batch-file/load-entries.js";
import type { TokenEntries } from "../../batch-file/token-texts.js";
import type { RunLine } from "../../transcript/format.js";

/** The vocabulary that turns tokens into text, and notices about its choice. */
export interface TextChoice {
  /** Loads the vocabulary when it is first needed. Undefined if the tokenizer is not known. */
  readonly load: () => Promise<TokenEntries | undefined>;
  readonly notices: readonly string[];
}

/** The model folder that the user names. */
export interface NamedModel extends LoadedEntries {
  readonly folder: string;
}

/** The model of a run. */
export type ModelOrigin = Pick<RunLine, "model_digest" | "model_path">;

export const NO_TEXTS: TextChoice = { load: async () => undefined, notices: [] };

/** @throws ModelFolderError if the folder cannot be used */
export async function loadNamed(folder: string | undefined): Promise<NamedModel | undefined> {
  return folder === undefined ? undefined : { folder, ...(await loadEntries(folder)) };
}

/** Chooses the tokenizer: from the folder that the user names, else from the job's folder if its digest is still that of the job. */
export async function chooseTexts(named: NamedModel | undefined, origin: ModelOrigin | null): Promise<TextChoice> {
  const { model_digest: expected, model_path: path } = origin ?? {};
  if (named) {
    const { folder, entries, digest } = named;
    const differs = expected !== undefined && digest !== expected;
    const notice = `The tokenizer or template of ${folder} is not that of the job: the texts of tokens may be wrong.`;
    return { load: async () => entries, notices: differs ? [notice] : [] };
  }
  if (path !== undefined && expected !== undefined && (await hasDigest(path, expected))) {
    return { load: loadOnce(path), notices: [] };
  }
  const reason = path === undefined ? "its model folder is not known" : "its model folder is missing or has changed";
  return {
    ...NO_TEXTS,
    notices: [`Tokens are shown as ids only, because ${reason}. Start with --model FOLDER to see their texts.`],
  };
}

/** Returns a function that loads the vocabulary of a folder at its first call. If the folder is gone by then, tokens have no text. */
function loadOnce(folder: string): TextChoice["load"] {
  let loading: Promise<TokenEntries | undefined> | undefined;
  return () =>
    (loading ??= loadEntries(folder).then(
      ({ entries }) => entries,
      () => undefined,
    ));
}
