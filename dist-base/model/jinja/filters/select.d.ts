import type { Filter } from "./filter.js";
export declare const SELECT_FILTERS: readonly (readonly [string, Filter])[];
