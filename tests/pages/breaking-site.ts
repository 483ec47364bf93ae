import assert from 'node:assert/strict';
import {CLASS_SHARE, emptySite, SITE, type SiteFixture} from '../build/site-fixture.ts';

/** Texts that end an element, an attribute, a comment, a section or a link in a language of the pages. */
export const BREAKERS = [
  '<script>alert(1)</script>',
  '</script><img src=x onerror=alert(2)>',
  `"'><svg onload=alert(3)>`,
  ']]> --> <!-- &lt; &nbsp; &#60; \ufffe',
  '[a](javascript:alert(4)) `b` **c**',
  '${alert(5)} {{6}} \\u003c \\',
];
/** The worst valid address. */
export const ROW = "https://row.example/'&;alert(7)//$(x)";
/** A class and a column of the list. Pages show their names. */
export const CLASS = '</svg></li><script>alert(9)</script>';
export const COLUMN = '</dd><script>alert(10)</script>';

/** Makes a site with such texts everywhere. */
export async function breakingSite(): Promise<SiteFixture> {
  const site = await emptySite();
  const [title = '', description = ''] = BREAKERS;
  await site.write('data/site.json', {
    ...SITE,
    title,
    description: `${description} ${BREAKERS.join(' ')}`,
    license: {name: BREAKERS.join(' '), url: "https://test.example/'onclick=alert(8)//"},
    contact: {email: 'a&b@test.example', url: 'https://test.example/?a=1&b=(2)'},
  });
  for (const [index, breaker] of BREAKERS.entries())
    await site.write(`data/products/${index}.json`, {
      ...CLASS_SHARE,
      title: `${index} ${breaker}`,
      difference: breaker,
    });
  const schema = {
    fields: [
      {name: 'url', type: 'string'},
      {name: 'class', type: 'string', constraints: {required: true, enum: ['soft_fail', CLASS]}},
      {name: COLUMN, type: 'string'},
    ],
    primaryKey: ['url'],
  };
  const csv = `url,class,${COLUMN}\n${ROW},soft_fail,x\nhttps://z.example/,${CLASS},y\n`;
  await site.freeze({source: 'deny-list', files: {'deny-list.csv': csv}, schema});
  const {code, err} = await site.build();
  assert.equal(code, 0, err);
  return site;
}
