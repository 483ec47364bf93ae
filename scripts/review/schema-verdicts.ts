/**
 * The changes of a published JSON Schema. A change is **breaking** if the new schema allows a document that the old schema refuses. A
 * program that was written for the old schema, or that validates with a copy of it, could then fail.
 */
export const VERDICTS = {
  'member-removed': [true, 'required member removed'],
  'optional-member-removed': [false, 'optional member removed'],
  'member-added': [true, 'member added, which the old schema refuses'],
  // In an open object: programs ignore unknown members.
  'member-added-open': [false, 'member added'],
  'class-added': [false, 'class added'],
  'now-optional': [true, 'no longer required'],
  'now-required': [false, 'now required'],
  'type-changed': [true, 'type changed'],
  'type-widened': [true, 'further types allowed'],
  'type-narrowed': [false, 'fewer types allowed'],
  'values-added': [true, 'further values allowed'],
  'values-removed': [false, 'fewer values allowed'],
  'limit-changed': [true, 'limit changed or removed'],
  'limit-tightened': [false, 'limit added or tightened'],
  opened: [true, 'further members allowed'],
  closed: [false, 'no further members allowed'],
  // Unknown keywords cannot be compared.
  'other-changed': [true, 'changed in a way that cannot be compared'],
  // Programs do not act on titles and descriptions.
  'words-changed': [false, 'description changed'],
} as const satisfies Record<string, readonly [breaking: boolean, says: string]>;

/** Completes the message about a breaking change. */
export function shapePromise(change: SchemaChangeKind): string {
  const undo =
    change === 'member-added' ? 'leave it out (for a column, with "columns" or in the SQL)' : 'undo the change';
  return `and v1 never changes shape: ${undo}, or sell the new shape as a new product with another "name"`;
}

export type SchemaChangeKind = keyof typeof VERDICTS;

export interface Found {
  /** The path, `counts.fraud` or `rows[].url`; empty for the document itself. */
  readonly path: string;
  readonly change: SchemaChangeKind;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}
