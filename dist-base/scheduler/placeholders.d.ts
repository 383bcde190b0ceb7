/** Values by the name of their placeholder. */
export type Values = Readonly<Record<string, string | undefined>>;
/** Replaces known placeholders with their values. Other braces, such as those of JSON, stay. */
export declare function fillIn(text: string, values: Values): string;
/** Applies {@link fillIn} to every value of an environment. */
export declare function fillEnvironment(env: Readonly<Record<string, string>>, values: Values): Record<string, string>;
/**
 * Returns the first unknown placeholder of a text that is similar to a known one. Passed on as text, a misspelled
 * placeholder would cause an error that is hard to trace. Placeholders of a shell (`${name}`) or a template
 * (`{{name}}`) are ignored.
 */
export declare function findMisspelled(text: string): {
    readonly name: string;
    readonly nearest: string;
} | undefined;
