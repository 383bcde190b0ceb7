/** An AbortSignal, or a `Deadline`, which ends work early. */
export interface AbortSource extends Pick<AbortSignal, "aborted" | "reason" | "throwIfAborted"> {
    addEventListener(type: "abort", listener: () => void, options?: {
        readonly once?: boolean;
    }): void;
    removeEventListener(type: "abort", listener: () => void): void;
}
