/**
 * The format of TensorBoard's event files, for numbers only.
 *
 * A file is a list of records (TensorFlow's `record_writer.cc`), each an `Event` (`event.proto`, `summary.proto`) as protocol buffer.
 * The first event says the version of the format.
 */

export interface ScalarEvent {
  /** Seconds since the Unix epoch. */
  readonly time: number;
  readonly step: number;
  readonly scalars: Readonly<Record<string, number>>;
}

/** Returns the beginning of an event file. */
export const encodeFileStart = (time: number): Buffer =>
  encodeRecord(encodeEvent(time, 0, [lengthDelimited(FILE_VERSION, Buffer.from("brain.Event:2"))]));

/** Returns the record of a step. TensorBoard keeps numbers with the precision of a 32-bit float. */
export function encodeScalars({ time, step, scalars }: ScalarEvent): Buffer {
  const values = Object.entries(scalars).map(([name, value]) => {
    const simpleValue = Buffer.alloc(5, (2 << 3) | FIXED_32);
    simpleValue.writeFloatLE(value, 1);
    return lengthDelimited(1, Buffer.concat([lengthDelimited(1, Buffer.from(name)), simpleValue]));
  });
  return encodeRecord(encodeEvent(time, step, [lengthDelimited(SUMMARY, Buffer.concat(values))]));
}

const [FILE_VERSION, SUMMARY] = [3, 5];
const [VARINT, FIXED_64, LENGTH_DELIMITED, FIXED_32] = [0, 1, 2, 5];

function encodeEvent(time: number, step: number, fields: readonly Buffer[]): Buffer {
  const wallTime = Buffer.alloc(9, (1 << 3) | FIXED_64);
  wallTime.writeDoubleLE(time, 1);
  // Like every field that is 0, the number of the first step is absent.
  const number = step === 0 ? [] : [Buffer.of((2 << 3) | VARINT), varint(step)];
  return Buffer.concat([wallTime, ...number, ...fields]);
}

function lengthDelimited(field: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.of((field << 3) | LENGTH_DELIMITED), varint(content.length), content]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.of(...bytes, rest);
}

/** A record is the length of the data, its checksum, the data, and its checksum. */
function encodeRecord(data: Buffer): Buffer {
  const record = Buffer.alloc(data.length + 16);
  record.writeBigUInt64LE(BigInt(data.length), 0);
  record.writeUInt32LE(maskedCrc32c(record.subarray(0, 8)), 8);
  data.copy(record, 12);
  record.writeUInt32LE(maskedCrc32c(data), 12 + data.length);
  return record;
}

/** CRC-32C of each byte. `zlib.crc32` has another polynomial. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  return crc;
});

/** Masked, because a checksum of data that contains checksums is weak. */
export function maskedCrc32c(data: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of data) crc = (crc >>> 8) ^ (TABLE[(crc ^ byte) & 0xff] ?? 0);
  crc = ~crc >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}
