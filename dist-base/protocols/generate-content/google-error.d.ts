export declare function googleStatus(status: number): string;
export interface GoogleErrorFields {
    readonly message: string;
    readonly status: number;
    /** Rolltape's error code, such as `session_limit`. */
    readonly code: string;
    readonly param?: string | null | undefined;
    readonly details?: Readonly<Record<string, unknown>> | undefined;
    readonly retryAfterSeconds?: number | undefined;
}
/** Returns an error body in Google's shape. Its details have Rolltape's code and field, and the time to wait before the next attempt. */
export declare function toGoogleError(fields: GoogleErrorFields): {
    error: {
        code: number;
        message: string;
        status: string;
        details: ({
            "@type": string;
            reason: string;
            domain: string;
            metadata: {
                [k: string]: string;
            };
        } | {
            "@type": string;
            retryDelay: string;
        })[];
    };
};
