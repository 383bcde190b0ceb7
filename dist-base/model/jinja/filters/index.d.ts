import { type Filter } from "./filter.js";
/** Returns a filter of Jinja2, or the `tojson` of `transformers`. */
export declare function findFilter(name: string): Filter;
