import { basename, resolve } from "node:path";
import { runInSlices } from "../support/async/run-steps.js";
import { ContinuationFinder } from "./continuation/continuation-finder.js";
import { ModelFolderError, readModelFiles } from "./model-files.js";
import { chooseFamilies, hasMarker } from "./output/choose-families.js";
import { Vocabulary } from "./output/detokenizer/vocabulary.js";
import { findCallStructure, findReasoningBlock } from "./output/family-lookup.js";
import { buildOutputStructure, findEnforcement, } from "./output/structure/output-structure.js";
import { TokenOutputParser } from "./output/token-output-parser.js";
import { renderPrefillAfterOpening, renderPrefilled } from "./prefilled-prompt.js";
import { ChatTemplate } from "./template/chat-template.js";
import { omitsCalls, showsTools } from "./template/shows-tools.js";
import { encodePartsWithin, encodeWithin } from "./tokenizer/encode-within.js";
import { Tokenizer } from "./tokenizer/tokenizer.js";
const CACHE_BYTES = 64 << 20;
/**
 * Loads the chat model that a Hugging Face folder describes.
 *
 * @throws ModelFolderError if a file is missing or invalid, or if the template cannot render one user message
 */
export async function loadChatModel(folder, options = {}) {
    return new FolderChatModel(folder, await readModelFiles(folder), options);
}
/** A {@link ChatModel} that is created from the files of a model folder. */
export class FolderChatModel {
    name;
    /** Absolute path of the model's folder. */
    folder;
    digest;
    stopTokenIds;
    contextLength;
    /** The families that describe how the model writes reasoning and tool calls. */
    families;
    toolCalls;
    #tokenizer;
    #vocabulary;
    #callStructure;
    #plain;
    #withTools;
    constructor(folder, files, options) {
        this.folder = resolve(folder);
        this.name = basename(this.folder);
        this.digest = files.digest;
        this.#tokenizer = makeTokenizer(folder, files, options.cacheBytes ?? CACHE_BYTES);
        this.#vocabulary = new Vocabulary(files.tokenizer, this.#tokenizer);
        this.stopTokenIds = stopTokenIds(files, this.#tokenizer);
        this.contextLength =
            files.config.max_position_embeddings ?? files.config.text_config?.max_position_embeddings ?? undefined;
        const sources = templateSources(folder, files);
        const signs = collectSigns(sources, files, this.#vocabulary);
        this.families = chooseFamilies(options, signs);
        this.#callStructure = findCallStructure(this.families.tools, (marker) => hasMarker(signs, marker));
        const { now = () => new Date(), templateArgs = {} } = options;
        const templateOptions = { now, templateArgs, specialTokens: specialTokens(files) };
        const create = (source) => this.#createDialogue(makeTemplate(folder, source, templateOptions));
        this.#plain = create(sources.plain);
        this.#withTools = sources.withTools === sources.plain ? this.#plain : create(sources.withTools);
        this.toolCalls = {
            family: this.families.tools,
            isConfigured: (options.toolCallParser ?? "auto") !== "auto",
            isShown: showsTools(this.#withTools.template),
            isOmitted: omitsCalls(this.#withTools.template),
            enforced: findEnforcement(this.#callStructure),
        };
    }
    get cacheStats() {
        return this.#tokenizer.cacheStats;
    }
    /** Starts a thread for large texts, so the first large text does not wait for it. */
    warmUp() {
        this.#tokenizer.warmUp();
    }
    /** Ends the threads that encode large texts. Without this call, they end with the process. */
    close() {
        return this.#tokenizer.close();
    }
    async prompt(conversation, { known, maxTokens } = {}) {
        const { template } = this.#chooseDialogue(conversation);
        const parts = await runInSlices(renderPrompt(template, conversation));
        return encodePartsWithin(this.#tokenizer, parts, maxTokens, known);
    }
    async continuation(conversation, turn, maxTokens) {
        const { template, continuations } = this.#chooseDialogue(conversation);
        const found = continuations.find(conversation, turn);
        if (typeof found === "string")
            return { fallback: found };
        const prefill = renderPrefillAfterOpening(template, conversation);
        if (prefill === undefined)
            return { fallback: "answer_opened_otherwise" };
        return { pieces: await encodeWithin(this.#tokenizer, found.text + prefill, maxTokens, found.after) };
    }
    decode(ids, options) {
        return this.#tokenizer.decode(ids, options);
    }
    tokenBytes(id) {
        return this.#vocabulary.bytes(id);
    }
    outputStructure(rules) {
        return buildOutputStructure(this.#callStructure, findReasoningBlock(this.families.reasoning), rules);
    }
    hasEndedReasoning(promptEnd) {
        const block = findReasoningBlock(this.families.reasoning);
        return block !== undefined && promptEnd.trimEnd().endsWith(block.end);
    }
    outputParser(options) {
        return new TokenOutputParser(this.#vocabulary, this.families, options);
    }
    #chooseDialogue(conversation) {
        return (conversation.tools ?? []).length > 0 ? this.#withTools : this.#plain;
    }
    #createDialogue(template) {
        const stops = new Map();
        for (const id of this.stopTokenIds) {
            const token = this.#tokenizer.findToken(id);
            if (token !== undefined)
                stops.set(id, token);
        }
        const addedTokenAt = (text) => this.#tokenizer.addedTokenAt(text);
        return { template, continuations: new ContinuationFinder(template, { stops, addedTokenAt }) };
    }
}
function* renderPrompt(template, conversation) {
    if (conversation.prefill !== undefined)
        return [yield* renderPrefilled(template, conversation)];
    return yield* template.renderInSteps(conversation, true);
}
function makeTokenizer(folder, files, cacheBytes) {
    try {
        return new Tokenizer({ tokenizer: files.tokenizer, config: files.tokenizerConfig }, cacheBytes);
    }
    catch (cause) {
        const message = `${folder}/tokenizer.json describes an unsupported tokenizer: ${String(cause)}`;
        throw new ModelFolderError("model_file_invalid", message, { cause });
    }
}
function makeTemplate(folder, source, options) {
    try {
        return new ChatTemplate(source, options);
    }
    catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        const message = `the chat template of ${folder} cannot render a user's message: ${reason}`;
        throw new ModelFolderError("chat_template_invalid", message, { cause });
    }
}
function specialTokens({ tokenizerConfig }) {
    const names = ["bos_token", "eos_token", "pad_token", "unk_token"];
    return new Map(names.flatMap((name) => (tokenizerConfig[name] ? [[name, tokenizerConfig[name]]] : [])));
}
/**
 * Chooses the templates: chat_template.jinja, or else those of tokenizer_config.json, where one named `tool_use` is for
 * conversations with tools.
 */
function templateSources(folder, files) {
    const configured = files.chatTemplate ?? files.tokenizerConfig.chat_template ?? [];
    if (typeof configured === "string")
        return { plain: configured, withTools: configured };
    const named = new Map(configured.map(({ name, template }) => [name, template]));
    const plain = named.get("default") ?? configured[0]?.template;
    if (plain === undefined) {
        const message = `${folder} has no chat template: neither chat_template.jinja nor chat_template in tokenizer_config.json`;
        throw new ModelFolderError("chat_template_missing", message);
    }
    return { plain, withTools: named.get("tool_use") ?? plain };
}
function collectSigns({ plain, withTools }, { config }, vocabulary) {
    return {
        template: plain === withTools ? plain : `${plain}\n${withTools}`,
        isAdded: (spelling) => vocabulary.isAdded(spelling),
        modelType: config.model_type ?? undefined,
    };
}
/** Collects the ids that end a turn from all files. */
function stopTokenIds({ generationConfig, config, tokenizerConfig }, tokenizer) {
    const eos = tokenizerConfig.eos_token ? tokenizer.findId(tokenizerConfig.eos_token) : undefined;
    const ids = [generationConfig.eos_token_id, config.eos_token_id, config.text_config?.eos_token_id, eos].flat();
    return [...new Set(ids.filter((id) => id !== undefined && id !== null))];
}
//# sourceMappingURL=load-chat-model.js.map