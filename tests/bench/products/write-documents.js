import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

/**
 * The minimal generator: it composes and writes a product's files, and one file about all products. With the third
 * argument `skip` it reads each file first, and writes it only if it differs.
 */
const [input = '', output = '', mode] = process.argv.slice(2);
const {items, fillers, listed} = JSON.parse(readFileSync(input, 'utf8'));
for (const [format, note] of Object.entries(fillers)) {
  mkdirSync(join(output, format), {recursive: true});
  for (const item of items) write(join(output, format, `${item.name}.json`), textOf(item, note));
}
write(join(output, 'list.json'), items.map((/** @type {object} */ item) => textOf(item, listed)).join(''));

/** @type {(item: object, note: string) => string} */
function textOf(item, note) {
  return `${JSON.stringify({...item, note}, null, 2)}\n`;
}

/** @type {(path: string, text: string) => void} */
function write(path, text) {
  if (mode === 'skip' && existsSync(path) && readFileSync(path, 'utf8') === text) return;
  writeFileSync(path, text);
}
