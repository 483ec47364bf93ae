import {isDevice} from '../../shared/file-names.ts';
import type {Format} from '../../build/read/data-package.ts';

/** The format of a file according to its name. */
export interface FileForm {
  readonly format: Format;
  readonly gzip: boolean;
  /** The delimiter that the name implies: a tab for `.tsv`. */
  readonly delimiter: '\t' | undefined;
}

const FORMATS: Readonly<Record<string, Format>> = {
  csv: 'csv',
  tsv: 'csv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
  parquet: 'parquet',
};

const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  json: 'application/json',
  parquet: 'application/vnd.apache.parquet',
};

/**
 * Returns the name of a file in its freeze: its own, without what a descriptor does not allow in a path (leading dots, wildcards, control
 * and invisible characters, device names, what Windows does not allow), and with `.gz` in lower case.
 */
export function keptName(name: string): string {
  const kept = name
    .replaceAll(/[\\\p{C}\p{Zl}\p{Zp}:*?[\]{}<>|"]+/gu, '-')
    .replace(/^\.+/, '')
    .replace(/\.gz$/i, '.gz');
  return isDevice(kept) ? `list-${kept}` : kept;
}

/** Returns format and compression by the extension, or undefined if it is unknown. */
export function formOf(name: string): FileForm | undefined {
  const [, extension = '', gzip] = /[^.]\.(csv|tsv|ndjson|jsonl|json|parquet)(\.gz)?$/i.exec(name) ?? [];
  const format = FORMATS[extension.toLowerCase()];
  if (format === undefined || (format === 'parquet' && gzip !== undefined)) return undefined;
  return {format, gzip: gzip !== undefined, delimiter: extension.toLowerCase() === 'tsv' ? '\t' : undefined};
}

/** Returns the `mediatype` of a frozen file in its Data Package. */
export function mediaTypeOf({format, gzip, delimiter}: FileForm): string {
  if (gzip) return 'application/gzip';
  return delimiter === undefined ? MEDIA_TYPES[format] : 'text/tab-separated-values';
}

/** Returns the extension for a download without one, by its media type. */
export function endingOf(mediaType: string): string | undefined {
  const [type = ''] = mediaType.toLowerCase().split(';');
  const format = Object.entries(MEDIA_TYPES).find(([, known]) => known === type.trim())?.[0];
  return format === undefined ? undefined : `.${format}`;
}
