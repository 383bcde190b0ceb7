import type { Source } from "../../api.js";
import type { AdminKeyPrompt } from "./admin-key-prompt.js";

/** The server has no such part of the API, or no such episode. */
export class NotFoundError extends Error {}

interface Asked {
  readonly accept: string;
  readonly signal?: AbortSignal | undefined;
}

/** Asks the server that served the page. Addresses are relative, so a page under `/ui/` asks `/ui/api/`. */
export function createHttpSource(key: AdminKeyPrompt): Source {
  const ask = async (path: string, { accept, signal }: Asked): Promise<Response> => {
    for (;;) {
      const sent = key.value;
      const response = await fetch(`api/${path}`, {
        headers: { accept, ...(sent !== null && { authorization: `Bearer ${sent}` }) },
        ...(signal && { signal }),
      });
      if (response.ok) return response;
      const message = await readError(response);
      // 403: the key is one of a session, for example.
      const isRefusedKey = response.status === 401 || (response.status === 403 && sent !== null);
      if (!isRefusedKey) throw errorFor(response.status, message);
      await key.replace(sent, sent === null ? "Enter the admin key of this server." : message);
    }
  };
  const get = async <T>(path: string, signal?: AbortSignal): Promise<T> => {
    const response = await ask(path, { accept: "application/json", signal });
    return (await response.json()) as T;
  };
  return {
    overview: (after = 0) => get(after === 0 ? "overview" : `overview?after=${after}`),
    changes: (after, signal) => get(`changes?after=${after}`, signal),
    episode: (index) => get(`episodes/${index}`),
    tokens: ({ episode, interaction, from, count }) =>
      get(`episodes/${episode}/tokens/${interaction}?from=${from}&count=${count}`),
    items: ({ episode, interaction, token }) => get(`episodes/${episode}/tokens/${interaction}/${token}`),
    image: async ({ episode, sha256 }) => {
      const response = await ask(`episodes/${episode}/images/${encodeURIComponent(sha256)}`, { accept: "image/*" });
      return new Uint8Array(await response.arrayBuffer());
    },
    search: (text, signal) => get(`episodes?text=${encodeURIComponent(text)}`, signal),
  };
}

function errorFor(status: number, message: string): Error {
  return status === 404 || status === 501 ? new NotFoundError(message) : new Error(message);
}

async function readError(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => null);
  return findMessage(body) ?? `The server answered with status ${response.status}.`;
}

function findMessage(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  if ("error" in body && typeof body.error === "object") return findMessage(body.error);
  return "message" in body && typeof body.message === "string" ? body.message : undefined;
}
