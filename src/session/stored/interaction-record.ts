import { crc32 } from "node:zlib";
import type { PlacedImage } from "../../conversation/content.js";
import type { Message } from "../../conversation/message.js";
import type { RestoredTree } from "../../native/contract.js";
import { runAtOnce } from "../../support/async/steps.js";
import { parseSpelled, stringifySpelled } from "../../support/json/spelled.js";
import { type InputMessages, NOTHING_RESPELLED, type RecordedInteraction } from "../recorded-interaction.js";
import { countShared } from "../turn/prompt-images.js";

/** The messages of an interaction that its parent does not have. */
export interface OwnMessages {
  readonly input: InputMessages;
  readonly output: readonly Message[];
}

/** The images of an interaction, as the difference to those of its parent. */
export interface StoredImages {
  /** How many images at the start are those of the parent. */
  readonly inherited: number;
  readonly added: readonly PlacedImage[];
}

/** A recorded interaction in its stored form: its tokens, its messages, and the request that it answered. */
export interface StoredInteraction {
  /** The tokens: the result of the native session's `serialize`. */
  readonly native: Uint8Array;
  readonly facts: Omit<
    RecordedInteraction,
    "index" | "parent" | "tokenExact" | "templateArgs" | "images" | keyof OwnMessages
  >;
  /** Returns the messages. Those of a record are parsed by the first call: most sessions that are read back need only their tokens. */
  readonly messages: () => OwnMessages;
  /** Memory of the JavaScript objects once the messages are parsed, in bytes. */
  readonly objectBytes: number;
  /** Undefined: the prompt has no images. */
  readonly images: StoredImages | undefined;
  /** "parent": the same as those of its parent. */
  readonly templateArgs: RecordedInteraction["templateArgs"] | "parent";
  /** Identifies the request, so that its retries are recognized; undefined if it cannot be retried. */
  readonly request: string | undefined;
}

/** Facts of a stored interaction that the session knows. */
interface StoredWith extends Pick<StoredInteraction, "native" | "objectBytes" | "request"> {
  readonly parent: Pick<RecordedInteraction, "templateArgs" | "images"> | undefined;
}

/** Returns the stored form of an interaction. */
export function toStoredInteraction(
  interaction: RecordedInteraction,
  { native, parent, objectBytes, request }: StoredWith,
): StoredInteraction {
  const { index: _, parent: _parent, tokenExact: _exact, images, templateArgs, input, output, ...facts } = interaction;
  const isSame = templateArgs !== undefined && templateArgs === parent?.templateArgs;
  return {
    native,
    facts,
    images: toStoredImages(images, parent?.images),
    messages: () => ({ input, output }),
    objectBytes,
    templateArgs: isSame ? "parent" : templateArgs,
    request,
  };
}

/** Returns the stored form of an interaction's images, which shares the objects of its parent's. */
export function toStoredImages(
  images: RecordedInteraction["images"],
  ofParent: RecordedInteraction["images"],
): StoredImages | undefined {
  if (!images) return undefined;
  const inherited = countShared(images, ofParent);
  return { inherited, added: images.slice(inherited) };
}

/** Throws if the parent has fewer images than are inherited. */
function joinImages(
  { inherited, added }: StoredImages,
  ofParent: RecordedInteraction["images"] = [],
): RecordedInteraction["images"] {
  if (inherited > ofParent.length)
    throw new Error(`images: ${inherited} are inherited, but the parent has ${ofParent.length}`);
  if (added.length === 0 && inherited === ofParent.length) return ofParent;
  return [...ofParent.slice(0, inherited), ...added];
}

/**
 * Returns an interaction whose tokens were restored.
 *
 * @param at returns an interaction that was restored before
 */
export function fromStoredInteraction(
  { facts, images, messages, templateArgs }: StoredInteraction,
  index: number,
  { parents, tokenExact }: RestoredTree,
  at: (index: number) => RecordedInteraction,
): RecordedInteraction {
  const parent = parents[index] ?? -1;
  return {
    index,
    parent,
    tokenExact: tokenExact[index] === 1,
    ...facts,
    ...(images && { images: joinImages(images, parent < 0 ? undefined : at(parent).images) }),
    templateArgs: templateArgs === "parent" ? at(parent).templateArgs : templateArgs,
    get input() {
      return messages().input;
    },
    get output() {
      return messages().output;
    },
  };
}

/** The first JSON part of a record. */
interface Fields {
  readonly facts: StoredInteraction["facts"];
  readonly images?: StoredImages | undefined;
  readonly objectBytes: number;
  /** JSON in a string, because these values keep the spelling of the request. */
  readonly templateArgs?: string | typeof SAME_AS_PARENT;
  readonly request?: string | undefined;
}

/** The second JSON part of a record. */
interface StoredMessages {
  readonly inherited: number;
  readonly respelled?: readonly [index: number, message: Message][];
  readonly added: readonly Message[];
  readonly output: readonly Message[];
}

/** Lengths of the two JSON parts, and their checksum: CRC-32, 4 bytes each. */
const HEADER_BYTES = 12;
const SAME_AS_PARENT = true;

/** Returns the bytes of an interaction: lengths of two JSON parts (4, 4), their checksum (4), fields, messages, tokens. */
export function encodeInteraction(stored: StoredInteraction): Buffer {
  const { native, facts, images, objectBytes, templateArgs, request } = stored;
  const fields: Fields = {
    facts,
    images,
    objectBytes,
    ...(templateArgs === undefined ? {} : { templateArgs: encodeArgs(templateArgs) }),
    request,
  };
  const parts = [JSON.stringify(fields), JSON.stringify(encodeMessages(stored.messages()))] as const;
  const [fieldsLength, messagesLength] = [Buffer.byteLength(parts[0]), Buffer.byteLength(parts[1])];
  const end = HEADER_BYTES + fieldsLength + messagesLength;
  const bytes = Buffer.allocUnsafe(end + native.length);
  bytes.writeUInt32LE(fieldsLength, 0);
  bytes.writeUInt32LE(messagesLength, 4);
  bytes.write(parts[0], HEADER_BYTES);
  bytes.write(parts[1], HEADER_BYTES + fieldsLength);
  bytes.writeUInt32LE(crc32(bytes.subarray(HEADER_BYTES, end)), 8);
  bytes.set(native, end);
  return bytes;
}

/**
 * Returns an interaction whose tokens are a view of `bytes`. Throws if the bytes are damaged. The tokens are checked when they are
 * restored.
 *
 * @param readMessages reads the messages when they are needed. Required if `bytes` can change before that
 */
export function decodeInteraction(bytes: Buffer, readMessages = () => decodeMessages(bytes)): StoredInteraction {
  const { fields, native } = splitRecord(bytes);
  const { facts, images, objectBytes, templateArgs, request } = JSON.parse(fields.toString()) as Fields;
  let messages: OwnMessages | undefined;
  return {
    native,
    facts,
    images,
    messages: () => (messages ??= readMessages()),
    objectBytes,
    templateArgs: templateArgs === undefined ? undefined : decodeArgs(templateArgs),
    request,
  };
}

/** Returns the messages of an interaction. Throws if its bytes are damaged. */
export function decodeMessages(bytes: Buffer): OwnMessages {
  const {
    inherited,
    respelled: stored,
    added,
    output,
  } = JSON.parse(splitRecord(bytes).messages.toString()) as StoredMessages;
  const respelled = stored ? new Map(stored) : NOTHING_RESPELLED;
  return { input: { inherited, respelled, added }, output };
}

function splitRecord(bytes: Buffer): { fields: Buffer; messages: Buffer; native: Buffer } {
  if (bytes.length < HEADER_BYTES) throw new Error("its header is truncated");
  const middle = HEADER_BYTES + bytes.readUInt32LE(0);
  const end = middle + bytes.readUInt32LE(4);
  if (end > bytes.length) throw new Error("its JSON is truncated");
  if (bytes.readUInt32LE(8) !== crc32(bytes.subarray(HEADER_BYTES, end))) throw new Error("its checksum is wrong");
  return {
    fields: bytes.subarray(HEADER_BYTES, middle),
    messages: bytes.subarray(middle, end),
    native: bytes.subarray(end),
  };
}

function encodeMessages({ input, output }: OwnMessages): StoredMessages {
  const { inherited, respelled, added } = input;
  return { inherited, ...(respelled.size > 0 ? { respelled: [...respelled] } : {}), added, output };
}

function encodeArgs(args: NonNullable<StoredInteraction["templateArgs"]>): NonNullable<Fields["templateArgs"]> {
  return args === "parent" ? SAME_AS_PARENT : stringifySpelled(args);
}

function decodeArgs(args: NonNullable<Fields["templateArgs"]>): StoredInteraction["templateArgs"] {
  return args === SAME_AS_PARENT ? "parent" : (runAtOnce(parseSpelled(args)) as RecordedInteraction["templateArgs"]);
}
