/**
 * Creates a folder and its parents. `mkdir` with `recursive` is not used because it hangs on file systems that refuse new
 * folders, such as /proc.
 */
export declare function makeFolder(folder: string): Promise<void>;
