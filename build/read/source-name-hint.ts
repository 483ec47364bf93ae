import slugify from '@sindresorhus/slugify';
import {isDevice} from '../../shared/file-names.ts';
import {isClose} from './close-names.ts';
import {SOURCE_NAME} from './freezes.ts';

const FORMAT_ENDINGS = /(\.(csv|tsv|json|jsonl|ndjson|parquet|gz))+$/i;

/**
 * Returns the end of an error message that suggests a valid source name for an invalid one, or '' if no letter or digit is left. An
 * address gets no suggestion, because it may contain a password.
 */
export function sourceNameHint(name: string): string {
  const slug = slugOf(name);
  return new RegExp(SOURCE_NAME).test(slug) && !isDevice(slug) ? `; did you mean ${slug}?` : '';
}

/** Suggests the existing source whose name is close to a name, as the end of an error message. Empty if there is none. */
export function knownSourceHint(name: string, known: Iterable<string>): string {
  const slug = slugOf(name);
  const close = [...known].sort().find(source => source === slug || isClose(source, name));
  return close === undefined ? '' : `; did you mean ${close}?`;
}

/** The last part of a path, or the source in it, as a source name; '' for an address. */
function slugOf(name: string): string {
  if (/[@?]|:\/\//.test(name)) return '';
  const [, inside] = /(?:^|[/\\])data[/\\]sources[/\\]([^/\\]+)/.exec(name) ?? [];
  const last = name.split(/[/\\]/).findLast(part => part !== '') ?? '';
  return slugify((inside ?? last).replace(FORMAT_ENDINGS, ''));
}
