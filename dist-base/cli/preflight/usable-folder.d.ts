/**
 * Checks that a file can be created in `folder` by creating one. Checking permissions is not enough, because the file
 * system may be read-only or may not support files.
 *
 * @throws an error that names the folder if not
 */
export declare function requireUsable(folder: string): Promise<void>;
/**
 * Checks that `folder` can be opened for reading, which its sync needs.
 *
 * @throws an error that names the folder if not
 */
export declare function requireReadable(folder: string): Promise<void>;
/** Returns the error of a folder that cannot be opened for reading. */
export declare function unreadable(folder: string, cause: unknown): Error;
