import type { NativeAddon } from "./contract.js";
/** The native addon. Import it from here only, so that there is one place that finds it. */
export declare const native: NativeAddon;
