/** Waits until a URL answers with a status from 200 to 299. Returns its origin. */
export declare function waitUntilAnswers(url: string, signal: AbortSignal): Promise<string>;
