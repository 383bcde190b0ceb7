import { type ModelFiles, type ModelFolderErrorCode } from "../../model/model-files.js";
import { type PackedSpellings } from "./packed-spellings.js";
/** `workerData` of the thread: the model folder. */
export type VocabularyThreadData = string;
/** The one message of the thread. */
export type VocabularyResult = LoadedVocabulary | {
    readonly code: ModelFolderErrorCode;
    readonly message: string;
};
/** The data that turn tokens into text. */
export interface LoadedVocabulary {
    readonly spellings: PackedSpellings;
    readonly added_tokens: ModelFiles["tokenizer"]["added_tokens"];
    readonly decoder: unknown;
    /** Digest of the model's tokenizer and template, as batches and transcripts have it. */
    readonly digest: string;
}
