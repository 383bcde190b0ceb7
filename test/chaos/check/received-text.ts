import type { Api } from "../../../src/session/recorded-interaction.js";

interface Event {
  readonly choices?: readonly { readonly delta?: { readonly content?: string } }[];
  readonly type?: string;
  readonly delta?: string | { readonly text?: string };
  readonly candidates?: readonly { readonly content?: { readonly parts?: readonly Part[] } }[];
}

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
}

/** Returns the text of a stream that may end anywhere, as far as an agent can read it. */
export function readReceivedText(api: Api, stream: string): string {
  const whole = stream.slice(0, stream.lastIndexOf("\n\n") + 1);
  const lines = whole.split("\n").filter((line) => line.startsWith("data: {"));
  return lines.map((line) => readDelta(api, JSON.parse(line.slice("data: ".length)) as Event)).join("");
}

function readDelta(api: Api, { choices, type, delta, candidates }: Event): string {
  if (api === "generate_content") {
    const parts = candidates?.[0]?.content?.parts ?? [];
    return parts.map(({ text = "", thought }) => (thought ? "" : text)).join("");
  }
  if (api === "chat.completions") return choices?.[0]?.delta?.content ?? "";
  if (api === "responses") return type === "response.output_text.delta" && typeof delta === "string" ? delta : "";
  return typeof delta === "object" ? (delta.text ?? "") : "";
}
