import { type Format } from "./format.js";
/** How a family that does not write JSON spells the values of a schema. */
export interface Spelling {
    readonly text: (text: Format) => Format;
    readonly list: (item: Format) => Format;
    readonly object: (members: readonly Member[]) => Format;
    readonly member: (key: string, value: Format) => Format;
    /** A value of any type. */
    readonly any: Format;
}
/** A member of an object; `format` describes its value together with its key. */
export interface Member {
    readonly key: string;
    readonly format: Format;
    readonly isRequired: boolean;
}
/**
 * Describes the members of an object in the order of its schema; undefined if the schema lists none.
 *
 * @param root the tool's schema, which has the definitions that references point to
 */
export declare function listMembers(schema: unknown, spelling: Spelling, root: unknown, depth?: number): readonly Member[] | undefined;
/** Describes members one after the other, with a separator between two. */
export declare function joinMembers(members: readonly Member[], separator: string): Format;
