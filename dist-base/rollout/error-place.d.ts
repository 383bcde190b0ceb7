/**
 * Returns the place of an error in a module as `file:line:column` or `file:line`; undefined if it is unknown. If a
 * package threw the error, the calling line of the module follows.
 *
 * @param url URL of the imported module, to find the place of an error that occurs when it is linked
 */
export declare function findErrorPlace(error: unknown, url: string | undefined): Promise<string | undefined>;
