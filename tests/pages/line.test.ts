import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Point} from '../../build/documents/record.ts';
import {line} from '../../build/pages/product/line.ts';

/** Returns the labels of a line through these days of a month: shares, then dates. */
async function labels(...days: number[]): Promise<string[]> {
  const history = days.map(day => {
    const parts = [
      {label: 'dead', n: day, claimed: true},
      {label: 'other', n: 100 - day, claimed: false},
    ];
    const as_of = `2026-09-${String(day).padStart(2, '0')}T00:00:00.000Z`;
    const chart = {shape: 'bar', unit: 'rows', claim: 'are dead', parts} as const;
    return {as_of, figures: {}, summary: '', reason: '', chart} satisfies Point;
  });
  const svg = (await line(history, 24))?.toString() ?? '';
  return [...svg.matchAll(/<text[^>]*>\s*([^<]*?)\s*<\/text>/g)].map(([, text = '']) => text);
}

test('freezes are labelled with their shares if there is space, and the ends with the first and the last date', async () => {
  assert.deepEqual(await labels(1), []);
  const dates = ['1 September 2026', '22 September 2026'];
  assert.deepEqual(await labels(1, 8, 15, 22), ['1%', '8%', '15%', '22%', ...dates]);
  assert.deepEqual(await labels(1, 15, 16, 22), ['1%', '22%', ...dates]);
  assert.deepEqual(await labels(1, 4, 8, 11, 15, 18, 22), ['1%', '22%', ...dates]);
});
