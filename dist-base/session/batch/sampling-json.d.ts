import type { RecordedSampling } from "../recorded-sampling.js";
/** Returns the sampling parameters under the names of the row columns. */
export declare function samplingJson(sampling: RecordedSampling): Readonly<Record<string, number | boolean | string | null>>;
