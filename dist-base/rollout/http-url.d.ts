export declare function isHttpUrl(value: unknown): boolean;
