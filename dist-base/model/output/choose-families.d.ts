import type { CallDetection } from "./family.js";
import { type OutputFamilies, type ReasoningFamily, type ToolFamily } from "./family-lookup.js";
/** The properties of a model folder by which the families are detected. */
export interface ModelSigns {
    /** The text of the chat templates. */
    readonly template: string;
    /** Returns true if the vocabulary has an added token with this spelling. */
    readonly isAdded: (spelling: string) => boolean;
    /** config.json's `model_type`. */
    readonly modelType: string | undefined;
}
/** The configured families: a name, `none`, or `auto` to detect the family. */
export interface FamilyChoice {
    readonly toolCallParser?: ToolFamily | "auto" | "none";
    readonly reasoningParser?: ReasoningFamily | "auto" | "none";
}
/** Returns true if the template or the vocabulary contains a marker. */
export declare function hasMarker({ template, isAdded }: ModelSigns, marker: string): boolean;
/** Chooses the families of calls and of reasoning: the configured ones, otherwise those detected in the model folder. */
export declare function chooseFamilies(choice: FamilyChoice, signs: ModelSigns): OutputFamilies;
/** Returns true if a chat template has the texts by which a family is detected. */
export declare function matchesTemplate(template: string, detection: CallDetection): boolean;
