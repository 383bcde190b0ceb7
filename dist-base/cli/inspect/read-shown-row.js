import { BatchRowError } from "./errors.js";
import { readRowTokens } from "./row-tokens.js";
import { readRows } from "./rows.js";
import { decodeEach } from "./token-texts.js";
/**
 * Reads one row with the text of its tokens.
 *
 * @param model folder of the model; undefined: the tokens have no text
 * @throws BatchRowError if the file has no such row
 */
export async function readShownRow(file, row, model) {
    const rows = readRows(file.header);
    const entry = rows[row];
    if (!entry)
        throw new BatchRowError(row, rows.length);
    const tokens = await readRowTokens(file, row, entry.length);
    const reward = await readReward(file, row, rows.length);
    const shown = { row, entry, reward, tokens };
    if (model === undefined)
        return { ...shown, texts: undefined, warnings: [NO_MODEL] };
    // Imported late: other reports need no tokenizer.
    const { loadChatModel } = await import("../../model/load-chat-model.js");
    const decoder = await loadChatModel(model);
    try {
        const recorded = file.header.metadata["model_digest"];
        const differs = recorded !== undefined && recorded !== decoder.digest;
        return { ...shown, texts: decodeEach(decoder, tokens.ids), warnings: differs ? [otherModel(model)] : [] };
    }
    finally {
        await decoder.close();
    }
}
const NO_MODEL = "tokens are shown as ids; --model FOLDER shows their text";
function otherModel(folder) {
    return `the tokenizer or chat template in ${folder} is not that of the batch (model_digest): the text may be wrong`;
}
async function readReward(file, row, count) {
    const rewards = (await file.values("rewards", count)) ?? (await file.values("node_rewards", count));
    return rewards?.[row];
}
//# sourceMappingURL=read-shown-row.js.map