import { CodedError } from "../coded-error.js";
/** `not_safetensors`: the bytes are not a safetensors file, or a damaged one. */
export declare class SafetensorsError extends CodedError<"not_safetensors"> {
    readonly name = "SafetensorsError";
    /** The reason why the bytes are invalid. */
    readonly reason: string;
    constructor(reason: string);
}
