import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

/**
 * The floor of every generator: two documents an item, composed and written, and nothing else. With `skip` as a third
 * argument a document is read first, and left alone where it is what it should be.
 */
const [items = '', output = '', mode] = process.argv.slice(2);
mkdirSync(join(output, 'api/v1/samples'), {recursive: true});
for (const item of JSON.parse(readFileSync(items, 'utf8'))) {
  write(join(output, `api/v1/samples/${item.name}.json`), `${JSON.stringify(item, null, 2)}\n`);
  write(join(output, `api/v1/${item.name}`), `${JSON.stringify(item, null, 2)}\n`);
}

/** @type {(path: string, text: string) => void} */
function write(path, text) {
  if (mode === 'skip' && existsSync(path) && readFileSync(path, 'utf8') === text) return;
  writeFileSync(path, text);
}
