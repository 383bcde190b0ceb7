import { expect } from "vitest";
import { native } from "../../src/native/addon.js";
import type {
  NativeBatch,
  NativeErrorCode,
  NativeGeneration,
  NativePrompt,
  NativeRowColumn,
  NativeSession,
  PlanOptions,
  RecordResult,
} from "../../src/native/contract.js";

export const ids = (...values: number[]): Int32Array => Int32Array.from(values);
export const floats = (...values: number[]): Float32Array => Float32Array.from(values);

/** Returns a generation with these ids. The log probability of an id is -id/8, and all have the same version. */
export function generation(values: number[], version = 0): NativeGeneration {
  const made = new native.Generation();
  made.append(
    ids(...values),
    Float32Array.from(values, (id) => -id / 8),
    version,
  );
  return made;
}

/** Records a turn by its messages. */
export function record(
  session: NativeSession,
  prompt: NativePrompt,
  output: number[],
  messages: string[],
  answer: string[],
): RecordResult {
  return session.record({
    prompt,
    generation: generation(output),
    digests: native.digestMessages(messages),
    output: answer,
  });
}

/** Returns a session of two turns: input [1,2], output [3]; then input [1,2,3,4], output [5,6]. */
export function twoTurns(): NativeSession {
  const session = new native.Session();
  record(session, session.prompt([ids(1, 2)]), [3], ["u"], ["a"]);
  record(session, session.prompt([ids(4)], 0), [5, 6], ["u", "a", "v"], ["b"]);
  return session;
}

export const planOptions: PlanOptions = {
  style: "individual",
  discount: 1,
  onMismatch: "error",
  padTokenId: 0,
  padSide: "right",
  padToMultipleOf: 1,
  maxLength: 0,
  overflow: "error",
};

/** Returns a column of facts. The properties in `column` override the defaults. */
export function rowColumn(column: Partial<NativeRowColumn>): NativeRowColumn {
  return {
    name: "fact",
    dtype: "I32",
    source: "fact",
    slot: 0,
    missing: 0,
    ofFirstTurn: false,
    ofBroken: false,
    perRow: true,
    perTurn: false,
    labels: [],
    ...column,
  };
}

/** Returns a tensor of a batch as numbers. */
export function tensor(batch: NativeBatch, name: string): number[] {
  const span = batch.tensors.find((candidate) => candidate.name === name);
  if (span === undefined) throw new Error(`no tensor ${name}`);
  const views: { readonly [dtype: string]: typeof Int32Array | typeof Float32Array | typeof Uint8Array } = {
    I32: Int32Array,
    F32: Float32Array,
    BOOL: Uint8Array,
  };
  const View = views[span.dtype];
  if (View === undefined) throw new Error(`unexpected dtype ${span.dtype}`);
  const { buffer, byteOffset } = batch.bytes;
  return Array.from<number>(
    new View(buffer as ArrayBuffer, byteOffset + span.byteOffset, span.byteLength / View.BYTES_PER_ELEMENT),
  );
}

/** Expects an error with this code whose message contains `text`. */
export function expectCode(code: NativeErrorCode, call: () => unknown, text = ""): void {
  let thrown: unknown;
  try {
    call();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(Error);
  expect(thrown).toMatchObject({ code, message: expect.stringContaining(text) as string });
}

/** Returns a value as a type that fits everywhere, to pass arguments that the types forbid. */
export function withAny(value: unknown): never {
  return value as never;
}
