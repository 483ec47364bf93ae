/**
 * Whether a change of a published JSON Schema is **breaking**: where a document that the new schema allows is one that the old schema
 * refuses. A program written against the old schema, or that validates with a copy of it, could then meet what it was promised never
 * to meet.
 */
export const VERDICTS = {
  'member-removed': [true, 'required member removed'],
  'optional-member-removed': [false, 'optional member removed'],
  'member-added': [true, 'member added, which the old schema refuses'],
  // To an open object: programs let unknown members pass.
  'member-added-open': [false, 'member added'],
  'class-added': [false, 'class added'],
  'now-optional': [true, 'no longer required'],
  'now-required': [false, 'now required'],
  'type-changed': [true, 'type changed'],
  'type-widened': [true, 'further types allowed'],
  'type-narrowed': [false, 'fewer types allowed'],
  'values-added': [true, 'further values allowed'],
  'values-removed': [false, 'fewer values allowed'],
  'limit-loosened': [true, 'limit loosened'],
  'limit-tightened': [false, 'limit tightened'],
  'form-changed': [true, 'form of the text changed'],
  'form-lifted': [true, 'form of the text lifted'],
  'form-set': [false, 'form of the text set'],
  opened: [true, 'further members allowed'],
  // Of counts by class, which earlier versions of the tool published closed.
  'classes-opened': [false, 'further classes allowed'],
  closed: [false, 'no further members allowed'],
  // A keyword that is not known here: nobody can tell.
  'other-changed': [true, 'changed in a way that cannot be compared'],
  // Programs do not act on titles and descriptions.
  'words-changed': [false, 'description changed'],
} as const satisfies Record<string, readonly [breaking: boolean, says: string]>;

/** Completes the sentence that names a breaking change: the promise, and what a publisher can do. */
export const SHAPE_PROMISE =
  'and v1 never changes shape: restore it, or sell the new shape as a new product with another "name"';

export type SchemaChangeKind = keyof typeof VERDICTS;

/** One change within a schema. */
export interface Found {
  /** Where: `counts.fraud`, `rows[].url`; empty for the document itself. */
  readonly path: string;
  readonly change: SchemaChangeKind;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}
