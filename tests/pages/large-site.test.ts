import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {
  CLASS_SHARE,
  DENY_SCHEMA,
  denySite,
  emptySite,
  SAME_TIMESTAMPS,
  VERIFIED_SCHEMA,
} from '../build/site-fixture.ts';

const occurrences = (text: string, part: string) => text.split(part).length - 1;

test('with four hundred products the page stays below 100 KB and says where the rest is', async () => {
  await using site = await denySite();
  for (let index = 0; index < 399; index++)
    await site.write(`data/products/${index}.json`, {...CLASS_SHARE, title: `Product No ${index}`, examples: 1000});
  assert.equal((await site.build()).code, 0);
  const page = await readFile(join(site.root, 'public/index.html'), 'utf8');
  assert.ok(Buffer.byteLength(page) < 98_000, String(Buffer.byteLength(page)));
  // The price of a whole product is on its line too.
  const [articles, lines] = [occurrences(page, '<article'), occurrences(page, 'class="price">$')];
  assert.ok(articles >= 4, `${articles} whole products`);
  assert.ok(lines >= 30, `${lines} lines`);
  const [, more] = /And (\d+) more in/.exec(page) ?? [];
  assert.equal(Number(more) + lines - articles, 400, 'none is passed over');
});

test('a long sample is cut short, and the page says how much more there is', async () => {
  await using site = await emptySite();
  await site.write('data/products/one.json', {...CLASS_SHARE, examples: 200});
  const rows = Array.from({length: 200}, (_, index) => `https://r${index}.example/,soft_fail`);
  await site.freeze({source: 'deny-list', files: {'a.csv': `url,class\n${rows.join('\n')}\n`}, schema: DENY_SCHEMA});
  assert.equal((await site.build()).code, 0);
  const page = await readFile(join(site.root, 'public/index.html'), 'utf8');
  const sample = await readFile(join(site.root, 'public/api/v1/samples/softfail3.json'), 'utf8');
  assert.ok(page.includes(`… and ${sample.split('\n').length - 1 - 100} more lines in the file`));
});

test('many origins are fifty dots that are shared out, few are a dot each', async () => {
  for (const [total, equal, dots, filled] of [
    [7, 3, 7, 3],
    [1000, 251, 50, 13],
  ] as const) {
    await using site = await emptySite();
    await site.write('data/products/one.json', SAME_TIMESTAMPS);
    const row = (index: number) =>
      `https://r${index}.example/,2026-04-01 09:00 ET,2026-04-0${index < equal ? 1 : 2} 09:00 ET,true`;
    const csv = `origin,first,last,claimed\n${Array.from({length: total}, (_, index) => row(index)).join('\n')}\n`;
    await site.freeze({source: 'verified-list', files: {'a.csv': csv}, schema: VERIFIED_SCHEMA});
    const {code, err} = await site.build();
    assert.equal(code, 0, err);
    const page = await readFile(join(site.root, 'public/index.html'), 'utf8');
    const [picture = ''] = /<svg\s+class="dots".*?<\/svg>/s.exec(page) ?? [];
    assert.equal(occurrences(picture, '<circle'), dots);
    assert.equal(occurrences(picture, 'class="claimed"'), filled);
    assert.equal(page.includes('Each dot is 2% of 1,000 origins'), total === 1000);
  }
});

test('an empty list has a page too', async () => {
  await using site = await emptySite();
  await site.write('data/products/one.json', CLASS_SHARE);
  await site.freeze({source: 'deny-list', files: {'a.csv': 'url,class\n'}, schema: DENY_SCHEMA});
  const {code, err} = await site.build();
  assert.equal(code, 0, err);
  const page = await readFile(join(site.root, 'public/index.html'), 'utf8');
  assert.ok(page.includes('0 of 0 rows are classed soft_fail'));
  assert.doesNotMatch(page, /NaN|undefined|Infinity/);
});
