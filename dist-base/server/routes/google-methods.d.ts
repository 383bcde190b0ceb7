import type { App } from "../../http/app-type.js";
/**
 * Google's paths end in a colon and the name of a method, as in `/v1beta/models/tiny:generateContent`. The name of the model may have
 * slashes, so the path is a wildcard, and a constraint of the route selects the method.
 */
export declare const GOOGLE_METHOD = "googleMethod";
/** Adds the constraint for routes that differ only in their method. Call this before adding such routes. */
export declare function addGoogleMethods(app: App): void;
/** Returns the name of the model, without the collection `models`. @param path the decoded path after `/v1beta/models/` */
export declare function readModelName(path: string): string;
