import assert from 'node:assert/strict';
import fc from 'fast-check';
import {mulberry32} from '../../build/random-lists/random.ts';
import {writings} from '../../build/random-lists/write.ts';
import {emptySite, type SiteFixture} from '../../build/site-fixture.ts';
import {readJson} from '../../build/tree.ts';
import {assertEndedWell} from '../ended-well.ts';
import {opened, type Target} from '../target.ts';

const FIELDS = [
  {name: 'id', type: 'integer'},
  {name: 'text', type: 'string'},
  {name: 'number', type: 'number'},
  {name: 'flag', type: 'boolean'},
];
const PIECES = ['"', '""', ',', ';', '|', '\t', '\n', '\r\n', '\r', ' ', '\\', "'", '{', '}', '[', '\u0000', '\ufeff', 'é', '👩', 'null', 'NaN', '#', '-', '0', 'a']; // prettier-ignore
const pieces = fc.array(fc.constantFrom(...PIECES), {minLength: 1, maxLength: 12}).map(all => all.join(''));
const text = fc.oneof(pieces, fc.string({unit: 'grapheme', minLength: 1}), fc.string({unit: 'binary', minLength: 1}));
const row = fc.record({
  text: fc.option(
    text.filter(one => !/\p{Cs}/u.test(one) && !one.includes('\0')),
    {freq: 6},
  ),
  number: fc.option(
    fc.double({noNaN: true, noDefaultInfinity: true}).map(number => number || 0),
    {freq: 6},
  ),
  flag: fc.option(fc.boolean(), {freq: 6}),
});
type Row = Readonly<Record<'id' | 'number', number | null> & {text: string | null; flag: boolean | null}>;
const table = fc
  .array(row, {maxLength: 30})
  .map(rows => rows.map((one, id): Row & Record<string, string | number | boolean | null> => ({id, ...one})));

type Edit = readonly [at: number, cut: number, put: string];

/** A change of a file: its place as a fraction of the length, the removed bytes, and the inserted bytes. */
const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.tuple(fc.double({min: 0, max: 1, noNaN: true}), fc.nat(3), fc.constantFrom('', ...PIECES)),
  {
    minLength: 1,
    maxLength: 4,
  },
);

/**
 * A list in every format has its rows in the documents. A damaged list has all of its remaining rows, or is refused.
 */
export default {
  name: 'lists',
  open: () => Promise.resolve(opened(fc.asyncProperty(table, fc.nat(), fc.option<Edit[]>(edits), tryList))),
} satisfies Target;

async function tryList(rows: Awaited<ReturnType<typeof rowsOf>>, chance: number, tampered: readonly Edit[] | null) {
  for (const {name, format, files, delimiter} of await writings(rows, FIELDS, mulberry32(chance))) {
    if (tampered && format === 'parquet') continue;
    const held = Object.fromEntries(
      Object.entries(files).map(([path, content]) => [
        path,
        typeof content === 'string' && tampered ? edited(content, tampered) : content,
      ]),
    );
    await using site = await emptySite();
    await site.write('data/products/a.json', {title: 'All', kind: 'query', price: '$0.02', source: 'list', difference: 'sells all', figures: 'SELECT count(*) AS n FROM rows', rows: `SELECT id, coalesce(text, '-') AS text, coalesce(number, 0) AS number, coalesce(flag, false) AS flag FROM rows ORDER BY id`}); // prettier-ignore
    await site.freeze({
      source: 'list',
      files: held,
      format,
      schema: {fields: FIELDS},
      resource: delimiter === undefined ? {} : {dialect: {delimiter}},
    });
    const ran = await site.build();
    assertEndedWell(ran);
    if (!tampered) assert.equal(ran.err, '', name);
    if (ran.code === 0)
      assert.deepEqual(
        await rowsOf(site),
        tampered ? (naive(format, held) ?? (await rowsOf(site))) : rows.map(shown),
        name,
      );
  }
}

async function rowsOf(site: SiteFixture) {
  return (await readJson(`${site.root}/public/api/v1`, 'all'))['rows'] as (Row &
    Record<string, string | number | boolean | null>)[];
}

function edited(content: string, edits: readonly Edit[]): string {
  return edits.reduce((text, [at, cut, put]) => {
    const place = Math.floor(at * text.length);
    return text.slice(0, place) + put + text.slice(place + cut);
  }, content);
}

/**
 * Returns the rows by the engine's JSON parser, in the order of their ids. Undefined if the file is not JSON, or
 * compressed.
 */
function naive(format: string, files: Readonly<Record<string, string | Uint8Array>>): object[] | undefined {
  // A file may begin with a byte order mark.
  const texts = Object.values(files).map(text => (typeof text === 'string' ? text.replace(/^\ufeff/, '') : text));
  if (format === 'csv' || !texts.every(text => typeof text === 'string')) return undefined;
  const values = texts.flatMap(text => format === 'json' ? (JSON.parse(text) as Row[]) : text.split('\n').filter(line => line.trim() !== '').map(line => JSON.parse(line) as Row)); // prettier-ignore
  const whole = values.map(shown);
  const last = (id: number | null) => id ?? Infinity;
  const ids = new Set(whole.map(({id}) => id));
  // Only rows with a unique position. The build decides the order of others.
  return ids.size === whole.length ? whole.sort((a, b) => last(a.id) - last(b.id)) : undefined;
}

/** Documents contain no null. */
function shown({id = null, text, number, flag}: Partial<Row>) {
  return {id, text: text ?? '-', number: number ?? 0, flag: flag ?? false};
}
