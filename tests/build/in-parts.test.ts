import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {ProductDocuments} from '../../build/compose/documents.ts';
import {InParts, Part} from '../../build/compose/in-parts.ts';

/** What tells of a product, for a document that asks nothing of it. */
const product = (name: string) => ({sold: name.length}) as ProductDocuments;
const [one, other] = [product('one'), product('other')];
/** As long as two of the pieces that are handed on at a time. */
const long = 'x'.repeat(1 << 19);
const values = new Map([
  [one, {text: 'half \ud800 "\\ud800"', long}],
  [other, {list: [{long}, []], none: {}}],
]);

test('a document in parts has the bytes of one that is made at once', () => {
  const partOf = (of: ProductDocuments) => new Part(of, () => values.get(of) ?? {});
  const whole = {a: [values.get(one), 'é\n'], b: {c: {'/d "\\ud800"': values.get(other)}}};
  const expected = `${JSON.stringify(whole, null, 2)}\n`;
  const document = {a: [partOf(one), 'é\n'], b: {c: {'/d "\\ud800"': partOf(other)}}};
  const first = new InParts(document);
  assert.equal([...first.pieces(() => undefined)].join(''), expected);

  const asked: ProductDocuments[] = [];
  const second = new InParts(document);
  const former = (of: ProductDocuments) => {
    asked.push(of);
    const [start, length] = first.places.get(of) ?? [0, 0];
    return expected.slice(start, start + length);
  };
  assert.equal([...second.pieces(former)].join(''), expected);
  assert.deepEqual(asked, [one, other]);
  assert.deepEqual(second.places, first.places);
});
