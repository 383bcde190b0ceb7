import type { Document } from "./document.js";
/**
 * Completes the document that the routes' schemas give, so that generators make good clients of it: names, tags, errors, answers
 * that are not JSON.
 *
 * @throws Error if {@link OPERATIONS} lacks a call
 */
export declare function completeDocument(document: Document): Document;
