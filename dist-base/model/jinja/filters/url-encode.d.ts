import type { Filter } from "./filter.js";
/** `urlencode`: quotes a text for the path of a URL, or a dict or pairs of keys and values for its query. */
export declare const urlEncode: Filter;
