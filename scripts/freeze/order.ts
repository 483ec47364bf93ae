import {InputError, refuse, type Fault} from '../../shared/fault.ts';
import {SOURCE_NAME} from '../../build/read/freezes.ts';
import {lineOfText} from '../../shared/line-of-text.ts';
import type {Limits} from './limits.ts';
import {compile} from '../../build/read/validator.ts';

/** What the command line asks for, as typed. */
export interface Wishes {
  readonly root: string;
  readonly source: string;
  readonly files: readonly string[];
  readonly as_of: string | undefined;
  readonly created?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly license?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly key: readonly string[];
  readonly limits: Limits;
  readonly newSchema: boolean;
  readonly dryRun: boolean;
}

/** A freeze to be made: wishes that make sense. */
export interface Order extends Omit<Wishes, 'as_of'> {
  /** The moment the snapshot is fixed at, in UTC with milliseconds. */
  readonly as_of: string;
  /** The folder of the freeze: the date of `as_of`. */
  readonly date: string;
}

const isLine = compile<string>(lineOfText);
const MOMENT = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/;
const DELIMITERS: ReadonlyMap<string, string> = new Map([
  ...[',', ';', '|', '\t'].map(one => [one, one] as const),
  ['\\t', '\t'],
  ['tab', '\t'],
]);

/** Checks what can be checked before any file is read. Throws `InputError` with everything that is wrong. */
export function orderOf(wishes: Wishes, now: Date): Order {
  const as_of = wishes.as_of === undefined ? now.toISOString() : momentOf(wishes.as_of);
  const created = wishes.created === undefined ? undefined : momentOf(wishes.created);
  const delimiter = wishes.delimiter === undefined ? undefined : DELIMITERS.get(wishes.delimiter);
  refuse([
    ...sourceFaults(wishes.source),
    ...momentFaults('--as-of', wishes.as_of, as_of, now),
    ...momentFaults('--created', wishes.created, created, now),
    ...(created !== undefined && as_of !== undefined && created > as_of
      ? [{file: '--created', value: wishes.created, rule: `is after as_of, ${as_of}`}]
      : []),
    ...lineFaults('--title', wishes.title),
    ...lineFaults('--license', wishes.license),
    ...(wishes.delimiter !== undefined && delimiter === undefined
      ? [{file: '--delimiter', value: wishes.delimiter, rule: 'is not one of , ; | and tab'}]
      : []),
  ]);
  if (as_of === undefined) throw new Error('unreachable: it was refused above');
  return {...wishes, as_of, date: as_of.slice(0, 10), created, delimiter};
}

/** A day, or a moment in UTC, as a moment in UTC with milliseconds; nothing where it does not exist. */
export function momentOf(text: string): string | undefined {
  const [, day] = MOMENT.exec(text) ?? [];
  if (day === undefined) return undefined;
  const date = new Date(text);
  if (Number.isNaN(date.valueOf())) return undefined;
  const moment = date.toISOString();
  // JavaScript takes 30 February for 2 March, and 24:00 for the next day.
  return moment.startsWith(`${day}T`) ? moment : undefined;
}

function momentFaults(option: string, text: string | undefined, moment: string | undefined, now: Date): Fault[] {
  const fault = (rule: string): Fault[] => [{file: option, value: text, rule}];
  if (text === undefined) return [];
  if (moment === undefined)
    return fault('is not a day or a moment in UTC that exists, such as 2026-05-01T12:00:00.000Z');
  return moment > now.toISOString() ? fault('is in the future: a snapshot is of a moment that has passed') : [];
}

function lineFaults(option: string, text: string | undefined): Fault[] {
  return text === undefined || isLine(text)
    ? []
    : [{file: option, value: text, rule: `is not ${lineOfText.description}`}];
}

function sourceFaults(source: string): Fault[] {
  if (new RegExp(SOURCE_NAME).test(source)) return [];
  const [, inside] = /(?:^|\/)data\/sources\/([^/]+)/.exec(source) ?? [];
  const hint = inside === undefined ? '' : `; did you mean ${inside}?`;
  return [
    {
      file: 'source',
      value: source,
      rule: `is not a name: lower-case letters, digits and "-", such as deny-list${hint}`,
    },
  ];
}

/** Throws `InputError` where the key asked for is not the one that is carried over. */
export function checkKey(order: Order, carried: readonly string[], descriptor: string): void {
  if (order.key.length === 0 || order.key.join('\n') === carried.join('\n')) return;
  throw new InputError({
    file: '--key',
    value: order.key.join(', '),
    rule: `is not the key in ${descriptor}, ${carried.join(', ') || 'which has none'}: add --new-schema to change it`,
  });
}
