import type { Tool } from "../../conversation/message.js";
/** Returns the JSON types that a tool's schema allows for a parameter; undefined if the schema does not say. */
export declare function parameterTypes(tool: Tool | undefined, parameter: string): ReadonlySet<string> | undefined;
/**
 * Returns the JSON types that a schema allows; undefined if it does not say.
 *
 * @param root the whole schema, to whose definitions the schema may refer
 */
export declare function schemaTypes(schema: unknown, root: unknown): ReadonlySet<string> | undefined;
/** Returns the schema that an object's schema has for a member, or that a list's schema has for its `item`s. */
export declare function childSchema(schema: unknown, key: string, root: unknown): unknown;
/** Returns the part of the root schema that a schema refers to, such as `#/$defs/point`; otherwise the schema itself. */
export declare function resolveReference(schema: unknown, root: unknown): unknown;
/** Returns the names of a tool's parameters; undefined if the schema lists none. */
export declare function parameterNames(tool: Tool | undefined): readonly string[] | undefined;
/** Returns true if this is a tool without parameters. */
export declare function hasNoParameters(tool: Tool | undefined): boolean;
/** Returns an own property of an object; undefined if the value is no object or lacks it. */
export declare function member(value: unknown, key: string): unknown;
/** Returns the type of a value by its name in JSON schemas. */
export declare function jsonType(value: unknown): string;
