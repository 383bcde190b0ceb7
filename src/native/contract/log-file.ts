export interface LogFileOptions {
  /** Id of the log: 8 bytes. */
  readonly log: Uint8Array;
  /** Number of the segment. */
  readonly segment: number;
  /** If false, records are written but not synced. */
  readonly synced: boolean;
}

/** Where a record goes. */
export interface LogPlace {
  /** Offset in the file, in bytes. */
  readonly at: number;
  /** Number of the record in its segment. */
  readonly number: number;
  /** Where the records of the previous segment end, in bytes. */
  readonly before: number;
}

/** A segment of the storage's log that is being written. A thread of its own writes the records one after the other. */
export interface NativeLogFile {
  /**
   * Assembles a record from changes and writes it. Resolves when it is on disk, or with `synced: false` when it is written.
   * Copies keys and values before it returns.
   *
   * A change begins at a multiple of 8: table (1 byte), zero (1), length of the key (2), length of the value (4; `0xffffffff`
   * for a removal), key, value, zeros. All numbers are little-endian. The record is padded with zeros to a multiple of 4096:
   *
   * | bytes | field | content |
   * |---|---|---|
   * | 4 | magic | `RTLG` |
   * | 4 | checksum | CRC-32C of everything after it, without the padding after the changes |
   * | 8 | log | {@link LogFileOptions.log} |
   * | 8 | segment | {@link LogFileOptions.segment} |
   * | 8 | before | {@link LogPlace.before} |
   * | 4 | number | {@link LogPlace.number} |
   * | 4 | length | of the changes in bytes |
   * | … | changes | |
   *
   * @param tables number of the table of each change
   * @param values of each change. Undefined: the key is removed
   * @throws `ERR_WRITE_FAILED` if the file does not accept the record, `ERR_SYNC_FAILED` if the disk does not confirm it,
   * `ERR_INVALID_ARG` if a key has more than 65,535 bytes or the record more than 2^31, `ERR_RELEASED` after {@link release}.
   * The message says why
   */
  append(
    place: LogPlace,
    tables: Uint8Array,
    keys: readonly Uint8Array[],
    values: readonly (Uint8Array | undefined)[],
  ): Promise<void>;
  /** Blocks until the records so far are written, and closes the file. Idempotent. */
  release(): void;
}
