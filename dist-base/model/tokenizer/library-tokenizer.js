import { Tokenizer } from "@huggingface/tokenizers";
import { correctPatterns } from "./library-patterns.js";
const LibraryBase = Tokenizer;
/** The library's tokenizer, which splits text like Python's `tokenizers`. */
export class LibraryTokenizer extends LibraryBase {
    /**
     * @param tokenizer tokenizer.json
     * @param config tokenizer_config.json
     */
    constructor(tokenizer, config) {
        super(tokenizer, config);
        correctPatterns(this.pre_tokenizer, Reflect.get(tokenizer, "pre_tokenizer"));
    }
}
//# sourceMappingURL=library-tokenizer.js.map