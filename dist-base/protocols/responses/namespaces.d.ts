/**
 * Tools of a namespace. Chat templates have no namespaces, so the model is shown each of these tools under a name that
 * begins with its namespace. Its calls are answered with namespace and name apart.
 */
export interface NamespacedName {
    readonly namespace: string;
    readonly name: string;
}
/** Namespaced tools by the name that the model is shown. */
export type NamespacedNames = ReadonlyMap<string, NamespacedName>;
/** Returns the name that the model is shown. It does not depend on other tools, so earlier calls keep their names. */
export declare function joinName(namespace: string | null | undefined, name: string): string;
/** Returns the namespaced tools of a request's `tools`, which are valid. */
export declare function readNamespacedNames(tools: readonly unknown[]): NamespacedNames;
/**
 * Checks that the names of namespaced tools are unique after flattening.
 *
 * @param shown the names of all tools, as the model is shown them
 * @throws RequestError if a namespaced tool has the same name as another tool
 */
export declare function requireDistinct(shown: readonly string[], namespaced: NamespacedNames): void;
