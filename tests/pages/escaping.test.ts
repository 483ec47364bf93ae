import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {readLlms} from './llms-reader.ts';
import {readXml} from './xml.ts';
import {fromMarkdown} from 'mdast-util-from-markdown';
import {emptySite, SITE, type SiteFixture} from '../build/site-fixture.ts';
import {readTree} from '../build/tree.ts';
import {BREAKERS, breakingSite} from './breaking-site.ts';

describe('texts that try to break out of a page', () => {
  let site: SiteFixture;
  let files: Record<string, string>;
  const textOf = (path: string) => Buffer.from(files[path] ?? '', 'latin1').toString();

  before(async () => {
    site = await breakingSite();
    files = await readTree(`${site.root}/public`);
  });
  after(() => site[Symbol.asyncDispose]());

  test('are text in the feed', () => {
    const {feed} = readXml(textOf('feed.xml')) as {feed: {title: string; entry: {title: string}[]}};
    assert.equal(feed.title, BREAKERS[0]);
    assert.deepEqual(
      feed.entry.map(({title}) => title),
      BREAKERS.map((breaker, index) => `${index} ${breaker.replace('\ufffe', '\ufffd')}, 1 May 2026`),
    );
  });

  test('are text in llms.txt, without additional links', () => {
    const found = {text: '', urls: [] as string[], html: 0};
    const walk = (node: {type: string; url?: string; value?: string; children?: unknown[]}) => {
      if (node.type === 'html') found.html++;
      if (node.url !== undefined) found.urls.push(node.url);
      if (node.value !== undefined) found.text += node.value;
      for (const child of node.children ?? []) walk(child as typeof node);
    };
    walk(fromMarkdown(textOf('llms.txt')));
    assert.equal(found.html, 0);
    assert.ok(
      found.urls.every(url => url.startsWith('https://test.example/')),
      found.urls.join('\n'),
    );
    for (const breaker of BREAKERS) assert.ok(found.text.includes(breaker), breaker);
    const {sections} = readLlms(textOf('llms.txt'));
    assert.equal([...sections.values()].flat().length, found.urls.length);
  });
});

for (const [member, value, rule] of [
  ['license', {name: 'x', url: 'javascript:alert(1)'}, /license\.url "javascript:alert\(1\)" is not an absolute http/],
  ['license', {name: 'x', url: 'https://a.example/" onclick="x'}, /license\.url .* is not an absolute http/],
  ['contact', {url: 'data:text/html,x'}, /contact\.url "data:text\/html,x" is not an absolute http/],
  ['contact', {email: 'x" onclick="y'}, /contact\.email .* is not an e-mail address/],
  ['contact', {}, /contact/],
  ['description', 'two\nlines', /description "two\\nlines" is not one line/],
] as const) {
  test(`refuses ${member} ${JSON.stringify(value)} in data/site.json`, async () => {
    await using site = await emptySite();
    await site.write('data/site.json', {...SITE, [member]: value});
    const {code, err} = await site.build();
    assert.equal(code, 1);
    assert.match(err, rule);
  });
}
