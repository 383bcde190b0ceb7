import { type Filter } from "./filter.js";
export declare const NUMBER_FILTERS: readonly (readonly [string, Filter])[];
