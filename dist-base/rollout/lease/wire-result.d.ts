import type { EpisodeResult } from "../contract.js";
import type { WireResult } from "./protocol.js";
/** Returns the result of a task as JSON: rewards as a list, and errors as text. */
export declare function toWire({ accepted, rejected }: EpisodeResult): WireResult;
/** Returns the result that {@link toWire} was given. Errors have their class as `name`. */
export declare function fromWire({ accepted, rejected }: WireResult): EpisodeResult;
