import { RequestError } from "../request-error.js";

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

const SEPARATOR = "__";

/** Returns the name that the model is shown. It does not depend on other tools, so earlier calls keep their names. */
export function joinName(namespace: string | null | undefined, name: string): string {
  if (!namespace) return name;
  return namespace.endsWith(SEPARATOR) ? namespace + name : namespace + SEPARATOR + name;
}

interface DeclaredTool {
  readonly type: string;
  readonly name?: unknown;
  readonly tools?: unknown;
}

/** Returns the namespaced tools of a request's `tools`, which are valid. */
export function readNamespacedNames(tools: readonly unknown[]): NamespacedNames {
  const names = new Map<string, NamespacedName>();
  for (const { type, name: namespace, tools: members } of tools as readonly DeclaredTool[]) {
    if (type !== "namespace" || typeof namespace !== "string") continue;
    for (const { name } of members as readonly { readonly name: string }[]) {
      names.set(joinName(namespace, name), { namespace, name });
    }
  }
  return names;
}

/**
 * Checks that the names of namespaced tools are unique after flattening.
 *
 * @param shown the names of all tools, as the model is shown them
 * @throws RequestError if a namespaced tool has the same name as another tool
 */
export function requireDistinct(shown: readonly string[], namespaced: NamespacedNames): void {
  const seen = new Set<string>();
  for (const name of shown) {
    if (seen.has(name) && namespaced.has(name)) {
      throw new RequestError("tools", `tools: two tools have the name "${name}", namespace included.`);
    }
    seen.add(name);
  }
}
