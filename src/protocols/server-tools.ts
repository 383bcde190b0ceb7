import { z } from "zod";
import { RequestError } from "./request-error.js";

/**
 * Server-side tools: tools that only the API's own server can run, such as a web search. The model is never shown them. A
 * request that has some is refused, or answered without them.
 */
export type ServerToolPolicy = "refuse" | "drop";

/** Longest list of dropped tools, in characters, because a header and the records of the call contain it. */
const MAX_LIST_LENGTH = 256;

/**
 * Tools that the client runs: those whose parameters only the models of their API know, and those of another API's requests.
 * They are refused, because without them the client would not work as it expects.
 */
const CLIENT_SIDE =
  /^(?:apply_patch|bash|browser|computer|custom|function|local_shell|memory|namespace|shell|text_editor)(?:[_-]|$)/;

/** @param supported the types of tools that the protocol's requests may have, for the error message */
export const serverTool = (supported: string) =>
  z.looseObject({
    type: z
      .string()
      .regex(/^[a-zA-Z0-9_.-]{1,64}$/)
      .refine((type) => !CLIENT_SIDE.test(type), {
        error: ({ input }) => `only ${supported} are supported; received one of type "${String(input)}"`,
      }),
    execution: z
      .unknown()
      .refine((value) => value !== "client", `only ${supported} are supported`)
      .optional(),
  });

/** A field of a request that asks for a server-side tool. */
export interface ServerToolField {
  /** Path of the field, such as `tools[3].type`. */
  readonly param: string;
  /** Type of the tool, as the header and the rows name it. */
  readonly type: string;
}

/**
 * Returns the types of the tools that are left out, each once.
 *
 * @throws RequestError for the first tool if the policy is "refuse"
 */
export function leaveOut(found: readonly ServerToolField[], policy: ServerToolPolicy = "refuse"): string[] {
  const [first] = found;
  if (first && policy === "refuse") {
    const advice = 'Set rollout.agent.server_tools to "drop" to leave such tools out of the prompt.';
    const message = `${first.param}: the server-side tool "${first.type}" is not supported. ${advice}`;
    throw new RequestError(first.param, message, "unsupported_parameter");
  }
  return [...new Set(found.map(({ type }) => type))];
}

/** Returns the dropped tools as one text, cut if it is too long for a header. */
export function joinDropped(types: readonly string[]): string {
  return types.join(", ").slice(0, MAX_LIST_LENGTH);
}

/**
 * Returns the server-side tools of a list of tools.
 *
 * @param isShown returns true for types of tools that a prompt can show; tools of all other types are server-side
 */
export function findServerTools(
  tools: readonly { readonly type?: string | null | undefined }[],
  isShown: (type: string) => boolean,
): ServerToolField[] {
  return tools.flatMap(({ type }, i) =>
    typeof type === "string" && !isShown(type) ? [{ param: `tools[${i}].type`, type }] : [],
  );
}
