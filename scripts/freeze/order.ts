import {refuse, type Fault} from '../../shared/fault.ts';
import {invisibleRule} from '../../shared/printable.ts';
import {lineOfText} from '../../shared/line-of-text.ts';
import {property} from '../../build/read/data-package.ts';
import {SOURCE_NAME, sourceNameHint} from '../../shared/source-name.ts';
import {compile, isTimestamp} from '../../build/read/validator.ts';
import type {Limits} from './download.ts';

/** A freeze to make, with validated options. */
export interface Order {
  readonly root: string;
  readonly source: string;
  readonly files: readonly string[];
  /** The time of the snapshot, in UTC with milliseconds. */
  readonly as_of: string;
  /** The folder of the freeze: the date of `as_of`. */
  readonly date: string;
  readonly created?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly license?: string | undefined;
  readonly attribution?: string | undefined;
  readonly delimiter?: string | undefined;
  /** The line of the CSV header, from 1. */
  readonly headerRow?: number | undefined;
  /** The names of the columns, as a line of CSV with commas. */
  readonly columns?: string | undefined;
  /** The path of the list inside a JSON object. */
  readonly property?: string | undefined;
  /** The columns of the key, an empty list for a list without one, or undefined to keep or choose one. */
  readonly key: readonly string[] | undefined;
  /** Columns to add to the schema of the last freeze. */
  readonly addColumns: readonly string[];
  /** Classes to add to it, each with or without its column. */
  readonly addClasses: readonly string[];
  /** Texts that mean a missing value. */
  readonly missing: readonly string[];
  /** Titles, descriptions and units of columns: `area.unit=km²`. */
  readonly describe: readonly string[];
  readonly limits: Limits;
  readonly newSchema: boolean;
  /** True if it may replace a freeze that is not committed. */
  readonly replace: boolean;
  readonly dryRun: boolean;
  /** Accept an empty list, or less than half of the rows of the previous freeze. */
  readonly allowShrink: boolean;
  /** Accept a new source whose name is close to that of an existing one. */
  readonly newSource: boolean;
}

/** The same before validation. */
export type FreezeOptions = Omit<Order, 'as_of' | 'date'> & {readonly as_of: string | undefined};

const isLine = compile<string>(lineOfText);
const isProperty = compile<string>(property);
const MOMENT = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?Z)?$/;

/** Checks all options before any file is read. Throws `InputError` with all errors. */
export function orderOf(wishes: FreezeOptions, now: Date): Order {
  const {source, title, license, attribution} = wishes;
  const as_of = momentOf(wishes.as_of ?? now.toISOString());
  const created = wishes.created === undefined ? undefined : momentOf(wishes.created);
  const delimiter = wishes.delimiter?.replace(/^(\\t|tab)$/, '\t');
  const faults: readonly (Fault | false)[] = [
    !new RegExp(SOURCE_NAME).test(source) && {
      code: 'FZ205',
      field: 'source',
      value: source,
      rule: `is not a name: lower-case letters, digits and "-", such as deny-list${sourceNameHint(source)}`,
    },
    momentFault('--as-of', wishes.as_of, as_of, now),
    momentFault('--created', wishes.created, created, now),
    created !== undefined &&
      as_of !== undefined &&
      created > as_of &&
      optionFault('--created', wishes.created, `is after as_of, ${as_of}`),
    lineFault('--title', title),
    lineFault('--license', license),
    lineFault('--attribution', attribution),
    invisibleFault('--description', wishes.description),
    invisibleFault('--columns', wishes.columns),
    delimiter !== undefined &&
      !/^[,;|\t]$/.test(delimiter) &&
      optionFault('--delimiter', delimiter, 'is not one of , ; | and tab'),
    wishes.property !== undefined &&
      !isProperty(wishes.property) &&
      optionFault('--property', wishes.property, `is not ${property.description}`),
  ];
  refuse(
    faults.filter(fault => fault !== false),
    {ofUsage: true},
  );
  if (as_of === undefined) throw new Error('unreachable: it was refused above');
  return {...wishes, as_of, date: as_of.slice(0, 10), created, delimiter};
}

/** Returns a date or time in UTC as a time with milliseconds, or undefined if it does not exist. */
function momentOf(text: string): string | undefined {
  const [, day = '', minute = '00:00', second = '00', fraction = ''] = MOMENT.exec(text) ?? [];
  const moment = `${day}T${minute}:${second}.${fraction.padEnd(3, '0')}Z`;
  return isTimestamp(moment) ? moment : undefined;
}

function optionFault(field: string, value: string | undefined, rule: string): Fault {
  return {code: 'FZ902', field, value, rule};
}

function momentFault(field: string, value: string | undefined, moment: string | undefined, now: Date): Fault | false {
  if (value === undefined) return false;
  if (moment === undefined)
    return optionFault(field, value, 'is not a valid day or time in UTC, such as 2026-05-01T12:00:00.000Z');
  if (moment <= now.toISOString()) return false;
  return optionFault(field, value, 'is in the future: a snapshot is of a moment that has passed');
}

function lineFault(field: string, value: string | undefined): Fault | false {
  if (value === undefined || isLine(value)) return invisibleFault(field, value);
  return optionFault(field, value, `is not ${lineOfText.description}`);
}

function invisibleFault(field: string, value: string | undefined): Fault | false {
  const rule = value === undefined ? undefined : invisibleRule(value);
  return rule !== undefined && {code: 'FZ209', field, value, rule};
}
