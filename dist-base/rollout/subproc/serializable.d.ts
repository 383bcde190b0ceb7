/** How a value is sent. `clone`: to a worker process, by structured clone. `json`: to a program, as JSON. */
export type Wire = "clone" | "json";
/**
 * Refuses values that would not arrive unchanged in another process: functions, symbols, promises, weak collections,
 * and instances of classes, which would lose their class. Plain objects and arrays can be sent. A worker can also
 * receive Map, Set, Date, RegExp, errors, buffers, typed arrays and cycles.
 *
 * @param name name of the value in the error, such as `data`
 * @throws SubprocError `not_serializable`, naming the property: `data.tools[0].call is a function`
 */
export declare function assertSerializable(value: unknown, name: string, wire?: Wire): void;
