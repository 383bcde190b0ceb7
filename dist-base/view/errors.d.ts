import { CodedError } from "../support/coded-error.js";
export type ViewErrorCode = 
/** The options or the path do not say what to show. */
"invalid_arguments"
/** The folder has no transcript and no tensor file, or the file is neither. */
 | "nothing_to_view"
/** The server does not answer, or does not serve its episodes. */
 | "server_unavailable";
/** `rolltape view` cannot open what it was asked to show. */
export declare class ViewError extends CodedError<ViewErrorCode> {
    readonly name = "ViewError";
}
