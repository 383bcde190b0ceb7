/** Returns the version in this package's package.json. */
export declare function packageVersion(): string;
