/** What a download may cost: whoever answers may want to fill the disk, or to hold the publisher up. */
export interface Limits {
  /** Of one file, unpacked where the host packed it for the way. */
  readonly maxBytes: number;
  /** Seconds without a byte. */
  readonly timeout: number;
  /** Seconds for a whole file. */
  readonly limit: number;
}
