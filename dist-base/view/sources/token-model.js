import { hasDigest, loadEntries } from "../tokens/load-entries.js";
export const NO_TEXTS = { load: async () => undefined, notices: [] };
/** @throws ModelFolderError if the folder cannot be used */
export async function loadNamed(folder) {
    return folder === undefined ? undefined : { folder, ...(await loadEntries(folder)) };
}
/** Chooses the tokenizer: from the folder that the user names, else from the job's folder if its digest is still that of the job. */
export async function chooseTexts(named, origin) {
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
function loadOnce(folder) {
    let loading;
    return () => (loading ??= loadEntries(folder).then(({ entries }) => entries, () => undefined));
}
//# sourceMappingURL=token-model.js.map