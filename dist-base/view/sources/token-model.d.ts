import type { RunLine } from "../../transcript/format.js";
import { type LoadedEntries } from "../tokens/load-entries.js";
import type { TokenEntries } from "../tokens/token-texts.js";
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
export declare const NO_TEXTS: TextChoice;
/** @throws ModelFolderError if the folder cannot be used */
export declare function loadNamed(folder: string | undefined): Promise<NamedModel | undefined>;
/** Chooses the tokenizer: from the folder that the user names, else from the job's folder if its digest is still that of the job. */
export declare function chooseTexts(named: NamedModel | undefined, origin: ModelOrigin | null): Promise<TextChoice>;
