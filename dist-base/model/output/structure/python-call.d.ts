import type { Tool } from "../../../conversation/message.js";
import { type TagFormat } from "./format.js";
/** Describes a call in Python's syntax, `f(a=1, b="x")`, with the arguments in the order of the tool's schema. */
export declare function describePythonCall(tool: Tool): TagFormat;
