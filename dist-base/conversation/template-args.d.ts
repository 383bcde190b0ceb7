/** Variables for the chat template. */
export type TemplateArgs = Readonly<Record<string, unknown>>;
/** Variables that every template gets from the proxy. Requests and the configuration cannot set them. */
export declare const RESERVED_ARGS: ReadonlySet<string>;
/** Returns true if two requests have the same variables in the same spelling. Key order counts: templates may print it. */
export declare function sameTemplateArgs(a: TemplateArgs | undefined, b: TemplateArgs | undefined): boolean;
