import { z } from "zod";
import { MAX_SECONDS, MIN_KEY_LENGTH } from "./limits.js";

/** A time in seconds, possibly fractional, that a timer can wait. */
export const seconds = z.number().min(0).max(MAX_SECONDS);

/** Text that is not empty, or null for "not set". */
export const nullableText = z.string().min(1).nullable().default(null);

/** Visible ASCII characters without spaces, as a key in a header must have. */
export const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** A key that can be sent in an Authorization header. */
export const secretKey = z
  .string()
  .regex(new RegExp(`^[\\x21-\\x7e]{${MIN_KEY_LENGTH},}$`))
  .meta({ expected: `at least ${MIN_KEY_LENGTH} visible ASCII characters without spaces` });

/** Base address of a server. */
export const baseUrl = z
  .string()
  .refine(isBaseUrl)
  .meta({ expected: "an http or https URL without query or fragment" });

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const isHttp = url.protocol === "http:" || url.protocol === "https:";
  // `URL` accepts a comma in a host name, so that two addresses separated by a comma would pass as one.
  const isHost = /^[\w.-]+$|^\[[\da-f:.]+\]$/i.test(url.hostname);
  return isHttp && isHost && url.search === "" && url.hash === "";
}

/** Reads `dns:NAME:PORT`. Returns undefined for any other text. */
export function readDnsService(text: string): { readonly name: string; readonly port: number } | undefined {
  const [, name, port] = /^dns:([A-Za-z0-9_][A-Za-z0-9._-]*):([1-9][0-9]{0,4})$/.exec(text) ?? [];
  return name !== undefined && Number(port) <= 65_535 ? { name, port: Number(port) } : undefined;
}
