/**
 * What a change of a published JSON Schema means to buyers, by one rule: a change is **breaking** where a document that the new
 * schema allows is one that the old schema refuses. A program written against the old schema, or that validates with a
 * copy of it, could then meet what it was promised never to meet. The table below is that rule applied to each change.
 *
 * | change | breaking | because |
 * |---|---|---|
 * | required member removed | yes | programs read it |
 * | optional member removed | no | programs cope without it |
 * | member added, object closed | yes | the old schema refuses members it does not know |
 * | member added, object open | no | programs let unknown members pass |
 * | required becomes optional | yes | it may now be missing |
 * | optional becomes required | no | it is there more often |
 * | type changed or widened (also: may be null) | yes | a value of another type may come |
 * | type narrowed | no | fewer types come |
 * | enum value added, const changed, enum lifted | yes | a value may come that programs do not know |
 * | enum value removed, enum set | no | fewer values come |
 * | limit loosened or lifted (minimum, maxLength, …) | yes | a value may come that was out of bounds |
 * | limit tightened or set | no | fewer values come |
 * | pattern or format changed or lifted | yes | texts of another form may come |
 * | pattern or format set | no | fewer texts come |
 * | closed object opened | yes | unknown members may come |
 * | open object closed | no | fewer members come |
 * | any other keyword changed | yes | nobody can tell |
 * | title, description, `$id`, … | no | programs do not act on them |
 */
export const VERDICTS = {
  'member-removed': [true, 'required member removed'],
  'optional-member-removed': [false, 'optional member removed'],
  'member-added': [true, 'member added, which the old schema refuses'],
  'member-added-open': [false, 'member added'],
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
  closed: [false, 'no further members allowed'],
  'other-changed': [true, 'changed in a way that cannot be compared'],
  'words-changed': [false, 'description changed'],
} as const satisfies Record<string, readonly [breaking: boolean, says: string]>;

export type SchemaChangeKind = keyof typeof VERDICTS;
