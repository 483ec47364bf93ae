import type {JsonSchema} from '../../build/read/validator.ts';
import type {Found, SchemaChangeKind} from './schema-verdicts.ts';

/** Limits that allow more if they are lower (LOWER) or higher (UPPER). */
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const FORMS = ['pattern', 'format'];
const WORDS = ['$id', '$comment', 'title', 'description', 'examples', 'default', 'deprecated', 'readOnly', 'writeOnly'];
/** Keywords that other functions compare. */
const STRUCTURE = ['type', 'const', 'enum', 'properties', 'required', 'additionalProperties', 'items', 'anyOf'];

/** Returns the changes of keywords that limit or describe a value, and of unknown keywords. */
export function constraintChanges(before: JsonSchema, after: JsonSchema, path: string): Found[] {
  const keywords = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keywords
    .filter(keyword => !STRUCTURE.includes(keyword))
    .flatMap(keyword => {
      const [was, is] = [before, after].map(schema =>
        Object.hasOwn(schema, keyword) ? `${keyword} ${JSON.stringify(schema[keyword])}` : undefined,
      );
      return was === is
        ? []
        : [{path, change: kindOf(keyword, before[keyword], after[keyword]), before: was, after: is}];
    });
}

function kindOf(keyword: string, before: unknown, after: unknown): SchemaChangeKind {
  if (WORDS.includes(keyword)) return 'words-changed';
  if (FORMS.includes(keyword)) {
    if (before === undefined) return 'form-set';
    return after === undefined ? 'form-lifted' : 'form-changed';
  }
  const isLower = LOWER.includes(keyword);
  if (!isLower && !UPPER.includes(keyword)) return 'other-changed';
  if (before === undefined) return 'limit-tightened';
  if (after === undefined) return 'limit-loosened';
  const comparable = typeof before === 'number' && typeof after === 'number';
  return comparable && (isLower ? after < before : after > before) ? 'limit-loosened' : 'limit-tightened';
}
