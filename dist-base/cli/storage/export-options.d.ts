import { type Command } from "commander";
import { type BatchOptionsInput } from "../../session/batch/batch-options.js";
import { type StoredState } from "./session-state.js";
/** Options of `rolltape export`, besides those of a batch. */
export interface ExportOptions extends BatchOptionsInput {
    /** Folder of a server that is not running. */
    readonly storage: string;
    readonly out: string;
    /** Ids of the sessions. */
    readonly sessions?: readonly string[];
    readonly state?: readonly StoredState[];
}
/** Declares the arguments of `rolltape export`. Options of a batch have the names of the HTTP API, with hyphens. */
export declare function withExportOptions(command: Command): Command;
/** Returns the name of an option of a batch on the command line, such as `--max-length` for `maxLength`. */
export declare function toFlag(name: string): string;
