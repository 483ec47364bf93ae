import type {Kind} from '../kinds/kind.ts';
import {loadFolder} from '../load-folder.ts';
import type {Site} from '../read/site.ts';
import {openDatabase, type Database} from '../rows/database.ts';
import type {Output} from '../write/stage.ts';

/** What all sources of a build are composed with. */
interface Place {
  readonly root: string;
  readonly site: Site;
  /** Takes every file once it is composed and checked. */
  readonly output: Output;
  /** A file with a later time can change and keep its stamp. By the disk's clock. */
  readonly moment: number;
  /** The names of the products whose paid documents are in bundles. */
  readonly held: ReadonlySet<string>;
}

/** A place with the kinds, and a database that is opened at the first call. */
export interface Workplace extends Place, AsyncDisposable {
  readonly kinds: ReadonlyMap<string, Kind>;
  database(): Promise<Database>;
}

export async function openWorkplace(place: Place): Promise<Workplace> {
  let opened: Promise<Database> | undefined;
  return {
    ...place,
    kinds: await loadFolder<Kind>('kinds'),
    database: () => (opened ??= openDatabase(place.root)),
    async [Symbol.asyncDispose]() {
      (await opened)?.close();
    },
  };
}
