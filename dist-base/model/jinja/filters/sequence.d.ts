import { type Filter } from "./filter.js";
export declare const SEQUENCE_FILTERS: readonly (readonly [string, Filter])[];
