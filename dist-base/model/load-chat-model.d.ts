import type { Conversation } from "../conversation/message.js";
import type { ChatModel, ContinuationResult, PromptOptions, RecordedTurn, ToolCallSupport } from "./chat-model.js";
import { type ModelFiles } from "./model-files.js";
import { type FamilyChoice } from "./output/choose-families.js";
import { type OutputFamilies } from "./output/family-lookup.js";
import type { OutputParser, OutputParserOptions } from "./output/output-parser.js";
import { type OutputRules, type OutputStructure } from "./output/structure/output-structure.js";
import type { EncodedText } from "./tokenizer/encoded-text.js";
import type { CacheStats } from "./tokenizer/piece-cache.js";
export interface ChatModelOptions extends FamilyChoice {
    /** Clock for templates that show the date. Default: the system's clock. */
    readonly now?: () => Date;
    /** Limit of the cache of encoded pieces, in bytes. Default 64 MiB; 0 turns the cache off. */
    readonly cacheBytes?: number;
    /** Variables for the chat template. A conversation's own variables override them key by key. */
    readonly templateArgs?: Readonly<Record<string, unknown>>;
}
/**
 * Loads the chat model that a Hugging Face folder describes.
 *
 * @throws ModelFolderError if a file is missing or invalid, or if the template cannot render one user message
 */
export declare function loadChatModel(folder: string, options?: ChatModelOptions): Promise<FolderChatModel>;
/** A {@link ChatModel} that is created from the files of a model folder. */
export declare class FolderChatModel implements ChatModel {
    #private;
    readonly name: string;
    /** Absolute path of the model's folder. */
    readonly folder: string;
    readonly digest: string;
    readonly stopTokenIds: readonly number[];
    readonly contextLength: number | undefined;
    /** The families that describe how the model writes reasoning and tool calls. */
    readonly families: OutputFamilies;
    readonly toolCalls: ToolCallSupport;
    constructor(folder: string, files: ModelFiles, options: ChatModelOptions);
    get cacheStats(): CacheStats;
    /** Starts a thread for large texts, so the first large text does not wait for it. */
    warmUp(): void;
    /** Ends the threads that encode large texts. Without this call, they end with the process. */
    close(): Promise<void>;
    prompt(conversation: Conversation, { known, maxTokens }?: PromptOptions): Promise<EncodedText>;
    continuation(conversation: Conversation, turn: RecordedTurn, maxTokens?: number): Promise<ContinuationResult>;
    decode(ids: Int32Array, options: {
        readonly skipSpecialTokens: boolean;
    }): string;
    tokenBytes(id: number): Uint8Array;
    outputStructure(rules: OutputRules): OutputStructure | undefined;
    hasEndedReasoning(promptEnd: string): boolean;
    outputParser(options: OutputParserOptions): OutputParser;
}
