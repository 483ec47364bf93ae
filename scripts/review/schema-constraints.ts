import type {JsonSchema} from '../../build/read/validator.ts';
import type {Found} from './schema-changes.ts';

/** Bounds that allow more the lower they are, and the higher they are. */
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const FORMS = ['pattern', 'format'];
const WORDS = ['$id', '$comment', 'title', 'description', 'examples', 'default', 'deprecated', 'readOnly', 'writeOnly'];
/** Compared elsewhere, member by member. */
const STRUCTURE = ['type', 'const', 'enum', 'properties', 'required', 'additionalProperties', 'items'];

/** Changes of the keywords that bound a value, describe it, or are not known here. */
export function constraintChanges(before: JsonSchema, after: JsonSchema, path: string): Found[] {
  const keywords = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keywords
    .filter(keyword => !STRUCTURE.includes(keyword) && textOf(before[keyword]) !== textOf(after[keyword]))
    .map(keyword => ({
      path,
      change: kindOf(keyword, before[keyword], after[keyword]),
      before: described(keyword, before[keyword]),
      after: described(keyword, after[keyword]),
    }));
}

function kindOf(keyword: string, before: unknown, after: unknown): Found['change'] {
  if (WORDS.includes(keyword)) return 'words-changed';
  if (LOWER.includes(keyword)) return boundChange(before, after, (was, is) => is < was);
  if (UPPER.includes(keyword)) return boundChange(before, after, (was, is) => is > was);
  if (FORMS.includes(keyword)) {
    if (before === undefined) return 'form-set';
    return after === undefined ? 'form-lifted' : 'form-changed';
  }
  return 'other-changed';
}

function boundChange(before: unknown, after: unknown, looser: (was: number, is: number) => boolean): Found['change'] {
  if (before === undefined) return 'limit-tightened';
  return after === undefined || (isNumber(before) && isNumber(after) && looser(before, after))
    ? 'limit-loosened'
    : 'limit-tightened';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function described(keyword: string, value: unknown): string | undefined {
  return value === undefined ? undefined : `${keyword} ${textOf(value) ?? ''}`;
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
