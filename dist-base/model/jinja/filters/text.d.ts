import { type Filter } from "./filter.js";
export declare const TEXT_FILTERS: readonly (readonly [string, Filter])[];
