import slugify from '@sindresorhus/slugify';
import {isDevice} from '../../shared/file-names.ts';
import {SOURCE_NAME} from './freezes.ts';

const FORMAT_ENDINGS = /(\.(csv|tsv|json|jsonl|ndjson|parquet|gz))+$/i;

/**
 * Returns the end of an error message that suggests a valid source name for an invalid one, or '' if no letter or digit is left. An
 * address gets no suggestion, because it may contain a password.
 */
export function sourceNameHint(name: string): string {
  if (/[@?]|:\/\//.test(name)) return '';
  const [, inside] = /(?:^|[/\\])data[/\\]sources[/\\]([^/\\]+)/.exec(name) ?? [];
  const last = name.split(/[/\\]/).findLast(part => part !== '') ?? '';
  const slug = slugify((inside ?? last).replace(FORMAT_ENDINGS, ''));
  return new RegExp(SOURCE_NAME).test(slug) && !isDevice(slug) ? `; did you mean ${slug}?` : '';
}
