import { basename } from "node:path";
import { ApiError } from "../../http/errors.js";
import { summarizeEpisode } from "../../transcript/summarize.js";
import { toColumns } from "../columns.js";
import { ViewError } from "../errors.js";
import { BatchTokens } from "../tokens/batch-tokens.js";
import { RowTokens } from "../tokens/row-tokens.js";
import { readTokenSlice } from "../tokens/token-slice.js";
import { readEpisodeTensors, toEpisode } from "./batch-episodes.js";
import { chooseTexts, loadNamed } from "./token-model.js";
/** Episodes of a tensor file without a transcript: one per session, with tokens and rewards but no messages. */
export class BatchSource {
    #path;
    #batch;
    #tensors;
    #sessions;
    #texts;
    #notices;
    constructor(path, batch, tensors, texts, notices) {
        this.#path = path;
        this.#batch = batch;
        this.#tensors = tensors;
        this.#sessions = [...batch.rows.sessions()];
        this.#texts = texts;
        this.#notices = notices;
    }
    /** @throws ViewError, SafetensorsError, ModelFolderError, or an error of the file system */
    static async open(path, { model, notices = [] } = {}) {
        const batch = await BatchTokens.open(path);
        if (!batch)
            throw new ViewError("nothing_to_view", `${path} is not a batch of Rolltape.`);
        try {
            const { modelDigest: digest } = batch;
            const texts = await chooseTexts(await loadNamed(model), digest === undefined ? null : { model_digest: digest });
            return new BatchSource(path, batch, await readEpisodeTensors(batch.file), texts, notices);
        }
        catch (error) {
            await batch[Symbol.asyncDispose]();
            throw error;
        }
    }
    async overview() {
        const episodes = this.#sessions.map((_, index) => summarizeEpisode(this.#episode(index)));
        const file = basename(this.#path);
        return {
            name: file,
            revision: 1,
            run: null,
            batches: [{ number: 0, file, version: 0, at: 0, readable: true }],
            steps: [],
            first: 0,
            episodes: toColumns(episodes, () => 0),
            notices: [
                "This is a tensor file without a transcript: it has tokens and rewards, but no messages.",
                ...this.#notices,
                ...this.#texts.notices,
            ],
        };
    }
    async episode(index) {
        return this.#episode(index);
    }
    async tokens(range) {
        const episode = this.#episode(range.episode);
        return readTokenSlice(episode, range, new RowTokens(episode, [this.#batch]), await this.#texts.load());
    }
    async search() {
        return { episodes: [], complete: true };
    }
    async [Symbol.asyncDispose]() {
        await this.#batch[Symbol.asyncDispose]();
    }
    #episode(index) {
        const session = this.#sessions[index];
        if (session === undefined)
            throw new ApiError("not_found", `There is no episode ${index}.`);
        return toEpisode(this.#batch, this.#tensors, session, index);
    }
}
//# sourceMappingURL=batch-source.js.map