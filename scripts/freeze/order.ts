import {refuse, wrongUsage, type Fault} from '../../shared/fault.ts';
import {invisibleRule} from '../../shared/printable.ts';
import {lineOfText} from '../../shared/line-of-text.ts';
import {property} from '../../build/read/data-package.ts';
import {SOURCE_NAME, sourceNameHint} from '../../shared/source-name.ts';
import {compile, isTimestamp} from '../../build/read/validator.ts';
import type {FreezeOptions} from '../freeze.ts';

const isLine = compile<string>(lineOfText);
const isProperty = compile<string>(property);
const DATE_OR_TIME = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?Z)?$/;

const MEBIBYTE = 1024 * 1024;

/** A freeze to make: the options of the command, validated and with defaults. */
export type Order = ReturnType<typeof orderOf>;

/** Checks all options before any file is read. Throws `InputError` with all errors. */
export function orderOf(
  {primaryKey, asOf, maxMib, totalTimeout, ...options}: FreezeOptions,
  list: {readonly root: string; readonly source: string; readonly files: readonly string[]},
  now: Date,
) {
  const {title, license, attribution, description, columns, property: member} = options;
  if (primaryKey === 'both')
    throw wrongUsage({code: 'FZ901', field: '--no-primary-key', rule: 'cannot be used with --primary-key'});
  const as_of = utcTimeOf(asOf ?? now.toISOString());
  const created = options.created === undefined ? undefined : utcTimeOf(options.created);
  const delimiter = options.delimiter?.replace(/^(\\t|tab)$/, '\t');
  const keyTwice = primaryKey === false ? undefined : primaryKey?.find((name, at) => primaryKey.indexOf(name) < at);
  const faults: readonly (Fault | false)[] = [
    keyTwice !== undefined && optionFault('--primary-key', keyTwice, 'is named twice'),
    !new RegExp(SOURCE_NAME).test(list.source) && {
      code: 'FZ205',
      field: 'source',
      value: list.source,
      rule: `cannot be a name: use lower-case letters, digits and "-"${sourceNameHint(list.source)}`,
    },
    timeFault('--as-of', asOf, as_of, now),
    timeFault('--created', options.created, created, now),
    created !== undefined &&
      as_of !== undefined &&
      created > as_of &&
      optionFault('--created', options.created, `is after as_of, ${as_of}`),
    lineFault('--title', title),
    lineFault('--license', license),
    lineFault('--attribution', attribution),
    invisibleFault('--description', description),
    invisibleFault('--columns', columns),
    delimiter !== undefined &&
      !/^[,;|\t]$/.test(delimiter) &&
      optionFault('--delimiter', delimiter, 'is not one of , ; | and tab'),
    member !== undefined && !isProperty(member) && optionFault('--property', member, `is not ${property.description}`),
  ];
  refuse(
    faults.filter(fault => fault !== false),
    {ofUsage: true},
  );
  if (as_of === undefined) throw new Error('unreachable: it was refused above');
  const {addColumn = [], addClass = [], missing = [], describe = []} = options;
  const {newSchema = false, replace = false, dryRun = false, allowShrink = false, newSource = false} = options;
  return {
    ...{...options, ...list, as_of, created, delimiter, addColumn, addClass, missing, describe},
    ...{newSchema, replace, dryRun, allowShrink, newSource},
    /** The folder of the freeze. */
    date: as_of.slice(0, 10),
    /** The columns of the key, an empty list for a list without one, or undefined to keep or choose one. */
    key: primaryKey === false ? [] : primaryKey,
    /** Limits of each download: a server is untrusted, and could fill the disk or never finish. */
    limits: {maxBytes: maxMib * MEBIBYTE, totalTimeout},
  };
}

/** Returns a date or time in UTC as a time with milliseconds, or undefined if it does not exist. */
function utcTimeOf(text: string): string | undefined {
  const [, day = '', minute = '00:00', second = '00', fraction = ''] = DATE_OR_TIME.exec(text) ?? [];
  const time = `${day}T${minute}:${second}.${fraction.padEnd(3, '0')}Z`;
  return isTimestamp(time) ? time : undefined;
}

function optionFault(field: string, value: string | undefined, rule: string): Fault {
  return {code: 'FZ902', field, value, rule};
}

function timeFault(field: string, value: string | undefined, time: string | undefined, now: Date): Fault | false {
  if (value === undefined) return false;
  if (time === undefined)
    return optionFault(field, value, 'is not a valid day or time in UTC, such as 2026-05-01T12:00:00.000Z');
  if (time <= now.toISOString()) return false;
  return optionFault(field, value, 'is in the future, and a snapshot describes a time in the past');
}

function lineFault(field: string, value: string | undefined): Fault | false {
  if (value === undefined || isLine(value)) return invisibleFault(field, value);
  return optionFault(field, value, `is not ${lineOfText.description}`);
}

function invisibleFault(field: string, value: string | undefined): Fault | false {
  const rule = value === undefined ? undefined : invisibleRule(value);
  return rule !== undefined && {code: 'FZ209', field, value, rule};
}
