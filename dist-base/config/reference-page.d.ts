/** Writes the reference page of the configuration in Markdown: every key with its values, default and meaning. */
export declare function writeReferencePage(): string;
