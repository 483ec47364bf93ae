import {InputError, refuse} from '../../shared/fault.ts';
import {isSameInput} from '../disk/known-file.ts';
import type {Bundle, SourceGroup} from '../products/source-groups.ts';
import type {Site} from '../read/site.ts';
import type {Output} from '../write/stage.ts';
import {composeSource, type SourceResult} from './compose-source.ts';
import type {OnRead} from './contents.ts';
import type {Kind, Tables, TablesKind} from '../kinds/kind.ts';
import {loadFolder} from '../load-folder.ts';
import {openDatabase, type Database} from '../rows/database.ts';

/** The options of composing. */
export interface Composing {
  /** The folder that contains `data/`, `public/` and `paywall/rules/`. */
  readonly root: string;
  /** Receives every file that was composed and checked. */
  readonly output: Output;
  readonly progress?: Progress | undefined;
}

/** Callbacks for the progress of the work. */
export interface Progress {
  readonly onRead: OnRead;
  onComposed(done: number, of: number): void;
}

/** The context that all source groups of a build are composed in. */
export interface BuildContext extends Pick<Composing, 'root' | 'output'> {
  readonly site: Site;
  /** The names of the products whose paid documents are in bundles. */
  readonly bundled: ReadonlySet<string>;
  readonly kinds: ReadonlyMap<string, Kind>;
  /** Opened on first use. */
  database(): Promise<Database>;
  /** The tables of a kind, opened on first use. */
  tables(kind: TablesKind): Tables;
}

/** Composes all source groups, one round after the other. Throws `InputError` with the errors of all of them. */
export async function composeGroups(
  {root, output, progress}: Composing,
  site: Site,
  rounds: readonly (readonly SourceGroup[])[],
  bundles: readonly Bundle[],
): Promise<ReadonlyMap<SourceGroup, SourceResult>> {
  const results = new Map<SourceGroup, SourceResult>();
  const all = rounds.flat();
  if (all.length === 0) return results;
  const bundled = new Set(bundles.flatMap(({names}) => names));
  const kinds = await loadFolder<Kind>('kinds');
  let opened: Promise<Database> | undefined;
  const database = () => (opened ??= openDatabase(root));
  const openTables = new Map<TablesKind, Tables>();
  const tables = (kind: TablesKind) => {
    const found = openTables.get(kind) ?? kind.open();
    openTables.set(kind, found);
    return found;
  };
  const context = {root, output, site, bundled, kinds, database, tables};
  try {
    for (const groups of rounds) {
      const broken = new Set([...results].flatMap(([{sources}, {faults}]) => (faults.length > 0 ? sources : [])));
      for (const group of groups.filter(({sources}) => !sources.some(name => broken.has(name)))) {
        results.set(group, await composeSource(context, group, progress?.onRead ?? (() => () => undefined)));
        progress?.onComposed(results.size, all.length);
      }
    }
  } finally {
    for (const each of openTables.values()) each.close();
    (await opened)?.close();
  }
  refuseFaults(root, [...results.values()]);
  return results;
}

/** Throws `InputError` with the errors of all source groups. A final one is reported only if there are no others. */
function refuseFaults(root: string, results: readonly SourceResult[]): void {
  const broken = results.filter(({faults}) => faults.length > 0);
  const shown = broken.some(({final}) => !final) ? broken.filter(({final}) => !final) : broken.slice(0, 1);
  if (shown.length > 0) throw InputError.merged(shown);
  const read = results.flatMap(result => result.read);
  refuse(
    read
      .filter(file => !isSameInput(root, file))
      .map(({path}) => ({code: 'FZ402', file: path, rule: 'changed while it was read'})),
  );
}
