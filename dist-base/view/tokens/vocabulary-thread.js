import { parentPort, workerData } from "node:worker_threads";
import { ModelFolderError, readModelFiles, } from "../../model/model-files.js";
import { packSpellings } from "./packed-spellings.js";
/** No vocabulary has larger ids. They would make the list of spellings huge. */
const MAX_ID = 1 << 24;
/** Returns the tokens of a vocabulary by id: an object of ids, or for Unigram models a list of pairs. */
function readSpellings({ model, added_tokens: added }) {
    const spellings = [];
    const vocab = model["vocab"];
    if (Array.isArray(vocab)) {
        for (const entry of vocab) {
            const token = Array.isArray(entry) ? entry[0] : undefined;
            spellings.push(typeof token === "string" ? token : "");
        }
    }
    else if (typeof vocab === "object" && vocab !== null) {
        for (const [token, id] of Object.entries(vocab)) {
            if (typeof id === "number" && id >= 0 && id <= MAX_ID)
                spellings[id] = token;
        }
    }
    for (const { id, content } of added)
        if (id <= MAX_ID)
            spellings[id] = content;
    return spellings;
}
async function load(folder) {
    const { tokenizer, digest } = await readModelFiles(folder);
    const { decoder, added_tokens } = tokenizer;
    return { spellings: packSpellings(readSpellings(tokenizer)), added_tokens, decoder, digest };
}
try {
    const loaded = await load(workerData);
    const { bytes, ends } = loaded.spellings;
    parentPort?.postMessage(loaded, [bytes.buffer, ends.buffer]);
}
catch (error) {
    if (!(error instanceof ModelFolderError))
        throw error;
    parentPort?.postMessage({ code: error.code, message: error.message });
}
//# sourceMappingURL=vocabulary-thread.js.map