import { type CallStructure } from "../structure/call-structure.js";
import type { CallSyntax } from "./call-syntax.js";
/**
 * Returns the syntax of DeepSeek's markup language: `<｜DSML｜invoke name="NAME">` contains
 * `<｜DSML｜parameter name="KEY" string="true|false">`, whose value is a string or JSON.
 *
 * @param section name of the tag around the calls
 */
export declare function dsmlCalls(section: string): CallSyntax;
/**
 * Returns the structure of the same calls. If the schema allows both a string and JSON for a value, the model chooses.
 */
export declare function dsmlStructure(section: string): CallStructure;
