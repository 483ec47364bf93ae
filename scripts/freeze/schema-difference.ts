import {englishCount, firstOf} from '../../shared/english.ts';
import {missingOf, type Field, type TableSchema} from '../../build/read/table-schema.ts';
import type {FrozenList} from '../../build/read/freezes.ts';

const SHOWN_CLASSES = 10;

/**
 * Returns the differences between the schema of a freeze and that of a later list: the column, `primaryKey` or `missingValues`, and the
 * change as text, such as `integer → string`.
 */
export function schemaDifferences({schema: before, missing, format}: FrozenList, after: TableSchema) {
  if (!before) return [];
  return [
    ...columnChanges(before, after),
    ...keyChanges(before, after),
    ...missingChanges(missing, missingOf(after.missingValues, format)),
  ];
}

function columnChanges(before: TableSchema, after: TableSchema) {
  const names = new Set([...before.fields, ...after.fields].map(({name}) => name));
  return [...names].flatMap(column => {
    const [was, is] = [before, after].map(({fields}) => fields.find(({name}) => name === column));
    if (!was || !is) return [{column, change: was ? 'removed' : `added, ${is?.type ?? ''}`}];
    return fieldChanges(was, is).map(change => ({column, change}));
  });
}

function fieldChanges(was: Field, is: Field): string[] {
  const [old, now] = [was.constraints ?? {}, is.constraints ?? {}];
  const [classes, classesNow] = [old.enum?.map(String), now.enum?.map(String)];
  const list = (name: string, some: readonly string[] = []) =>
    some.length > 0 ? [`${name} ${firstOf(some, SHOWN_CLASSES)}`] : [];
  return [
    ...(typeOf(was) === typeOf(is) ? [] : [`${typeOf(was)} → ${typeOf(is)}`]),
    ...(old.required && !now.required ? ['no longer required'] : []),
    ...(old.unique && !now.unique ? ['no longer unique'] : []),
    ...(old.pattern === now.pattern ? [] : [`pattern ${old.pattern ?? 'none'} → ${now.pattern ?? 'none'}`]),
    ...(classes && !classesNow ? ['no longer a column of classes'] : []),
    ...(!classes && classesNow ? list('now one of', classesNow) : []),
    ...(classes && classesNow ? list('new classes', beyond(classesNow, classes)) : []),
    ...(classes && classesNow ? list('without the classes', beyond(classes, classesNow)) : []),
  ];
}

/** `number`, or `number with 2 exact digits after the point`. */
function typeOf({type, scale}: Field): string {
  return scale === undefined ? type : `${type} with ${englishCount(scale, 'exact digit')} after the point`;
}

function keyChanges(before: TableSchema, after: TableSchema) {
  const [was, is] = [before, after].map(({primaryKey}) => [primaryKey ?? []].flat().join(', ') || 'none');
  return was === is ? [] : [{column: 'primaryKey', change: `${was} → ${is}`}];
}

function missingChanges(before: FrozenList['missing'], after: FrozenList['missing']) {
  const [was, is] = [before, after].map(missing => JSON.stringify(missing));
  return was === is ? [] : [{column: 'missingValues', change: `${was ?? ''} → ${is ?? ''}`}];
}

function beyond(list: readonly string[], other: readonly string[]): string[] {
  return list.filter(one => !other.includes(one));
}
