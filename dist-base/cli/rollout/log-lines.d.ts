/** Turns log lines into text for people. Repeated lines are shown once and counted. */
export declare class LogLines {
    #private;
    /**
     * Returns a JSON log line as text, or undefined if one with the same level, message, cause and common fields was
     * shown before. Other lines are returned unchanged.
     */
    add(line: string): string | undefined;
    /** Returns each line that came more than once, with its count. */
    repeated(): string[];
}
