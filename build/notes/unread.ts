import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {someOf} from './some-of.ts';

/** A note on what lies among the products and is none, where anything does. Hidden files are whoever's they are. */
export function unread(root: string): string[] {
  const names = readdirSync(join(root, 'data/products')).filter(name => !/^\.|\.json$/.test(name));
  return names.length === 0
    ? []
    : [`only .json files are products; in data/products these are not read: ${someOf(names.sort())}`];
}
