import type { Tool } from "../../../conversation/message.js";
import { type Format } from "./format.js";
/** A parameter of a tool, for families that write each parameter in separate tags. */
export interface Parameter {
    readonly key: string;
    readonly isRequired: boolean;
    /** The JSON types that the schema allows; undefined if it does not say. */
    readonly types: ReadonlySet<string> | undefined;
    /** Its schema, with the definitions that it refers to. */
    readonly schema: unknown;
    /** Its value as plain text, if the schema allows a string. */
    readonly text: Format | undefined;
    /** Its value as JSON, if the schema allows anything but a string. */
    readonly json: Format | undefined;
    /** Its value as JSON, strings too. */
    readonly value: Format;
}
/** Lists a tool's parameters in the order of its schema; undefined if the schema lists none. */
export declare function listParameters(tool: Tool): readonly Parameter[] | undefined;
/** Describes any text, or one of the texts that the schema lists. */
export declare function describeText(property: unknown): Format;
