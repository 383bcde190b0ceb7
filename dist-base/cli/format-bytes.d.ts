/** Returns a number of bytes as text of at most four digits: `1.5 GiB`. */
export declare function formatBytes(bytes: number): string;
