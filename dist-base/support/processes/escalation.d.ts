/** An action that should end something, and the time to wait for its effect. */
export interface Attempt {
    readonly act: () => unknown;
    readonly seconds: number;
}
/** Makes one attempt after the other until `ended` resolves. Waits without a limit after the last one. */
export declare function makeEnd(ended: Promise<unknown>, attempts: readonly Attempt[]): Promise<void>;
