import type { StorageReader } from "../../storage/index.js";
import { type StoredState } from "./session-state.js";
/** The sessions of a folder. */
interface SessionCounts {
    readonly sessions: Record<StoredState, number>;
    /** Sessions whose data is in the folder. The numbers below are theirs. */
    sessions_with_data: number;
    interactions: number;
    prompt_tokens: number;
    completion_tokens: number;
    /** Tokens without those that interactions share with their parents. */
    stored_tokens: number;
}
/** The output of `rolltape storage inspect --json`. Null: unknown. */
export interface InspectedStorage extends Readonly<SessionCounts> {
    readonly directory: string;
    /** A server has it open. */
    readonly open: boolean;
    readonly format: number | null;
    readonly model: string | null;
    readonly model_digest: string | null;
    readonly worker_tag: string | null;
    readonly capacity: number | null;
    readonly weight_version: number | null;
    /** Exports that are not acknowledged yet. Their sessions are `held`. */
    readonly held_exports: number;
    readonly file_bytes: number;
    readonly used_bytes: number;
}
/** @throws StorageError or PageError if the folder is damaged */
export declare function inspectStorage(directory: string, reader: StorageReader, isOpen: boolean): InspectedStorage;
/** Returns what `rolltape storage inspect` prints. */
export declare function describeStorage(storage: InspectedStorage): string;
export {};
