import type { Tool } from "../../../conversation/message.js";
import { type Format } from "./format.js";
/** Describes keyword arguments in the order of the tool's schema: `a=1, b="x"`, with values in JSON. */
export declare function describeKeywordArguments(tool: Tool): Format;
