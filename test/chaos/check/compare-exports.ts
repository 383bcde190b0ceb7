import { readSafetensors } from "../../helpers/safetensors.js";

/** Describes how two exports differ: by the metadata and tensors whose content is not the same. */
export function describeDifference(first: Uint8Array, second: Uint8Array): string {
  const [one, other] = [readSafetensors(first), readSafetensors(second)];
  const keys = Object.keys({ ...one.metadata, ...other.metadata });
  const metadata = keys.filter((key) => one.metadata[key] !== other.metadata[key]);
  const texts = metadata.map(
    (key) => `${key}: ${describe(one.metadata[key])} and then ${describe(other.metadata[key])}`,
  );
  const names = Object.keys({ ...one.tensors, ...other.tensors });
  const tensors = names.filter((name) => JSON.stringify(one.tensors[name]) !== JSON.stringify(other.tensors[name]));
  return [...texts, `tensors ${tensors.join(", ")}`].join("; ");
}

function describe(text: string | undefined): string {
  if (text === undefined) return "nothing";
  return text.length > 200 ? `${text.slice(0, 200)}… (${text.length} characters)` : text;
}
