import type {Fault} from '../../shared/fault.ts';
import {editionPath, paths, PUBLIC} from '../../shared/paths.ts';
import type {Rule} from '../../shared/shapes.ts';
import {DOCUMENTS} from '../documents/catalogue.ts';
import type {ProductRecord} from '../documents/record.ts';
import {MOST_BYTES} from '../kinds/kind.ts';
import type {Page} from '../pages/page.ts';
import type {PlainSite} from '../read/site.ts';

/** The site as seen by a host: its settings, the rules of paid documents, and free files that need a content type. */
export interface Hosted {
  readonly site: PlainSite;
  readonly rules: readonly Rule[];
  /** Free files whose content type cannot be derived from their name. `*` in a path matches any part of a name. */
  readonly pages: readonly Pick<Page, 'path' | 'type'>[];
}

/** The files that make a host serve the tree and charge for exactly the paid paths. */
export interface HostFiles {
  /** Text by path from the root, below `public/` or `paywall/rules/`. */
  readonly files: ReadonlyMap<string, string>;
  /** Facts for the publisher in the summary, for example `on AWS, the web ACL uses 160 of 1500 capacity units`. */
  readonly notes?: readonly string[];
}

/** A host: one file in this folder, whose default export is its `Host`. */
export interface Host {
  readonly name: string;
  /** The longest file that it accepts, in bytes. */
  readonly mostBytes?: number;
  /** Throws `InputError` if the host cannot express the rules. */
  compose(hosted: Hosted): HostFiles;
}

/**
 * Errors of documents that are too large for one of the hosts, since a product must be sellable on all of them, with the setting to change.
 */
export function documentFaults({
  name,
  file,
  paidContent,
  documents,
  editions,
}: Pick<ProductRecord, 'name' | 'file' | 'paidContent' | 'documents' | 'editions'>): Fault[] {
  const tooLarge = DOCUMENTS.filter(document => documents[document].bytes > MOST_BYTES);
  const largeEditions = editions.filter(({bytes}) => bytes > MOST_BYTES);
  return [
    ...tooLarge.map(document => {
      const {bytes} = documents[document];
      if (document === 'paid') return paidFault(file, paidContent, bytes);
      const rule = `has more than the ${MOST_BYTES} bytes that hosts accept`;
      return {code: 'FZ109' as const, file: PUBLIC + paths[document](name), field: 'size', value: bytes, rule};
    }),
    ...largeEditions.map(({part, format, bytes}) => {
      const rule = `results in ${editionPath(name, {part, format})} with ${bytes} bytes, and hosts accept at most ${MOST_BYTES}`;
      return {code: 'FZ109' as const, file, field: part ? 'parts' : 'formats', rule};
    }),
  ];
}

function paidFault(file: string, {type, holds}: ProductRecord['paidContent'], bytes: number): Fault {
  const whole = `results in ${bytes} bytes, and hosts accept at most ${MOST_BYTES}`;
  if (type === 'document') return {code: 'FZ109', file, field: holds ? 'bundle' : 'document', rule: whole};
  const rule = `is missing or too high: the paid document has ${bytes} bytes, and hosts accept at most ${MOST_BYTES}`;
  return {code: 'FZ109', file, field: 'max_rows', rule};
}

/** Errors of files about all products that are too large for a host, with a remedy. */
export function fileFaults(
  files: readonly {readonly path: string; readonly bytes: number}[],
  {name, mostBytes = Infinity}: Pick<Host, 'name' | 'mostBytes'>,
): Fault[] {
  const rule = `has more than the ${mostBytes} bytes that ${name} accepts: the site has too many products for it`;
  const tooLarge = files.filter(({bytes}) => bytes > mostBytes);
  const faults = tooLarge.map(({path: file, bytes: value}): Fault => {
    return {code: 'FZ403', file, field: 'size', value, rule};
  });
  return faults.length > 0 ? [...faults, hostRemedy(name)] : [];
}

/** The remedy for a host that cannot be used. */
export function hostRemedy(host: string): Fault {
  const rule = `may not contain ${host}, which cannot serve this site`;
  const fix = 'List only the hosts that you use, or [] for the Node gate.';
  return {code: 'FZ403' as const, file: 'data/site.json', field: 'hosts', rule, fix};
}
