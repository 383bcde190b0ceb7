import { type Filter } from "./filter.js";
export declare const ORDER_FILTERS: readonly (readonly [string, Filter])[];
