/** The x402 extension `snapshot`: the version of the document that is for sale, as in the catalogue. A payment echoes it. */
export interface Snapshot {
  /** The digest of the document. */
  readonly sha256: string;
  readonly as_of: string;
  /** When the next snapshot is expected. */
  readonly next_expected?: string;
  /** The number of later snapshots that the payment includes. */
  readonly later_snapshots?: number;
}
