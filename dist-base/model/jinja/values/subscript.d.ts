import { type Value } from "./value.js";
/** `object[key]`: an item, or else the attribute of that name. */
export declare function getItem(object: Value, key: Value): Value;
/** Bounds of a slice; undefined if left out. */
export interface Bounds {
    readonly start: Value | undefined;
    readonly stop: Value | undefined;
    readonly step: Value | undefined;
}
/** `object[start:stop:step]`. */
export declare function getSlice(object: Value, { start, stop, step }: Bounds): Value;
