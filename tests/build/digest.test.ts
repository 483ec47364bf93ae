import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {writeFileSync} from 'node:fs';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {fingerprintOf} from '../../shared/digest.ts';
import {InputError} from '../../shared/fault.ts';
import {plan} from '../../build/plan.ts';
import {checkDigest, type Digested} from '../../build/read/digest.ts';
import {CLASS_SHARE, denySite} from './site-fixture.ts';

const MIB = 1 << 20;

/** A freeze of files of these sizes, and the expected digest in its descriptor. */
async function frozen(root: string, sizes: readonly number[]): Promise<Digested> {
  const hash = createHash('sha256');
  const files = sizes.map((_, index) => `part-${index}.csv`);
  for (const [index, size] of sizes.entries()) {
    const bytes = Buffer.alloc(size, `row ${index}\n`);
    hash.update(bytes);
    await writeFile(join(root, files[index] ?? ''), bytes);
  }
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const place = {root, source: 'list', date: '2026-05-01', folder: '.', descriptor: 'datapackage.json'};
  return {...place, files, bytes, sha256: hash.digest('hex')};
}

for (const [name, sizes] of [
  ['short files', [1000, 0, 5]],
  ['long files, read in chunks', [16 * MIB + 3, 0, 7]],
] as const) {
  test(`the digest of ${name} is that of all their bytes`, async () => {
    const root = await mkdtemp(join(tmpdir(), 'digest-'));
    try {
      const freeze = await frozen(root, sizes);
      let reported = 0;
      await checkDigest(freeze, bytes => (reported += bytes));
      assert.equal(reported, freeze.bytes);
      const other = {...freeze, sha256: '0'.repeat(64)};
      await assert.rejects(
        checkDigest(other, () => undefined),
        /part-0\.csv: sha256 .* a freeze is never edited/,
      );
      const longer = {...freeze, bytes: freeze.bytes + 1};
      await assert.rejects(
        checkDigest(longer, () => undefined),
        InputError,
      );
      const gone = {...freeze, files: [...freeze.files, 'gone.csv']};
      await assert.rejects(
        checkDigest(gone, () => undefined),
        /gone\.csv does not exist/,
      );
    } finally {
      await rm(root, {recursive: true});
    }
  });
}

const LINES = 'url,class\nhttps://a.example/,dead\nhttps://b.example/,fine\n';
const CRLF = LINES.replaceAll('\n', '\r\n');

for (const [name, before, after, says] of [
  [
    'CR LF in place of LF',
    LINES,
    CRLF,
    /a\.csv has CR LF line ends, .*"data\/sources\/\*\* -text" into \.gitattributes/,
  ],
  ['LF in place of CR LF', CRLF, LINES, /a\.csv has LF line ends, .*\.gitattributes/],
  [
    'CR LF and another word',
    LINES,
    CRLF.replace('dead', 'fine'),
    /a\.csv: size \d+ is not the .* a freeze is never edited/,
  ],
  ['a line end at the end', LINES.trimEnd(), LINES, /a\.csv: size \d+ is not the .* a freeze is never edited/],
  // The chunks of the second reading end between CR and LF.
  ['CR LF in a long list', `${'x'.repeat(MIB - 1)}\n`, `${'x'.repeat(MIB - 1)}\r\n`, /has CR LF line ends/],
] as const) {
  test(`an error reports that a freeze has ${name}`, async () => {
    const root = await mkdtemp(join(tmpdir(), 'digest-'));
    try {
      const [bytes, sha256] = [Buffer.byteLength(before), createHash('sha256').update(before).digest('hex')];
      await writeFile(join(root, 'a.csv'), after);
      const place = {root, source: 'list', date: '2026-05-01', folder: '.', descriptor: 'datapackage.json'};
      await assert.rejects(
        checkDigest({...place, files: ['a.csv'], bytes, sha256}, () => undefined),
        says,
      );
    } finally {
      await rm(root, {recursive: true});
    }
  });
}

test('a list that is written to after its digest was checked is not sold, even if its bytes and time are restored', async () => {
  await using site = await denySite();
  const query = {
    kind: 'query',
    class: undefined,
    figures: 'SELECT count(*) AS n FROM rows',
    rows: 'FROM rows ORDER BY url',
  };
  await site.write('data/products/query.json', {...CLASS_SHARE, ...query, title: 'Query'});
  const list = join(site.root, 'data/sources/deny-list/2026-05-01/deny-list.csv');
  const bytes = await readFile(list);
  const composing = plan({
    root: site.root,
    output: {
      put(path, text) {
        writeFileSync(list, bytes);
        return {path, ...fingerprintOf(text), state: 'added'};
      },
    },
  });
  await assert.rejects(
    composing,
    /^InputError: data\/sources\/deny-list\/2026-05-01\/deny-list\.csv changed while it was read$/,
  );
});
