import {isDevice} from '../../shared/file-names.ts';
import type {Format} from '../../build/read/data-package.ts';

/** What a file's name says of it. */
export interface FileForm {
  readonly format: Format;
  readonly gzip: boolean;
  /** Tab-separated, as `.tsv` says. */
  readonly tabs: boolean;
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
 * The name that a file keeps in its freeze: its own, without what a descriptor's path must not have (leading dots, wildcards,
 * control and invisible characters, names of devices, what Windows takes in none), and with a `.gz` that programs look for in lower case.
 */
export function keptName(name: string): string {
  const kept = name
    .replaceAll(/[\\\p{C}\p{Zl}\p{Zp}:*?[\]{}<>|"]+/gu, '-')
    .replace(/^\.+/, '')
    .replace(/\.gz$/i, '.gz');
  return isDevice(kept) ? `list-${kept}` : kept;
}

/** Format and packing by the name's ending; nothing where it says neither. */
export function formOf(name: string): FileForm | undefined {
  const [, extension = '', gzip] = /[^.]\.(csv|tsv|ndjson|jsonl|json|parquet)(\.gz)?$/i.exec(name) ?? [];
  const format = FORMATS[extension.toLowerCase()];
  if (format === undefined || (format === 'parquet' && gzip !== undefined)) return undefined;
  return {format, gzip: gzip !== undefined, tabs: extension.toLowerCase() === 'tsv'};
}

/** The media type of a freeze's files. */
export function mediaTypeOf({format, gzip, tabs}: FileForm): string {
  if (gzip) return 'application/gzip';
  return tabs ? 'text/tab-separated-values' : MEDIA_TYPES[format];
}

/** The ending of a download's name where only its media type tells the format. */
export function endingOf(mediaType: string): string | undefined {
  const [type = ''] = mediaType.toLowerCase().split(';');
  const format = Object.entries(MEDIA_TYPES).find(([, known]) => known === type.trim())?.[0];
  return format === undefined ? undefined : `.${format}`;
}
