/** Collects what a template prints, in parts. */
export declare class Output {
    #private;
    print(text: string): void;
    /** Ends the part that was printed last. */
    endPart(): void;
    /** The text that was printed since the last part ended. */
    get text(): string;
    get parts(): string[];
}
