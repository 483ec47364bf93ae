import type {Kind} from '../kinds/kind.ts';
import {loadFolder} from '../load-folder.ts';
import type {Site} from '../read/site.ts';
import {openDatabase, type Database} from '../rows/database.ts';
import type {Output} from '../write/stage.ts';

/** What a thread composes with. */
export class Workplace implements AsyncDisposable {
  readonly root: string;
  readonly site: Site;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly output: Output;
  /** Files with later times may change without another stamp. */
  readonly moment: number;
  /** The names of the products whose paid documents others hold. */
  readonly held: ReadonlySet<string>;
  readonly #threads: number | undefined;
  #opened: Promise<Database> | undefined;

  private constructor(kinds: ReadonlyMap<string, Kind>, {root, site, output, moment, held, threads}: Place) {
    [this.root, this.site, this.kinds, this.output] = [root, site, kinds, output];
    [this.moment, this.held, this.#threads] = [moment, held, threads];
  }

  static async open(place: Place): Promise<Workplace> {
    return new Workplace(await loadFolder<Kind>('kinds'), place);
  }

  /** The database, which is opened when it is first asked for. */
  database(): Promise<Database> {
    return (this.#opened ??= openDatabase(this.root, {threads: this.#threads}));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    (await this.#opened)?.close();
  }
}

/** Where a workplace is, and what it is for. */
interface Place {
  readonly root: string;
  readonly site: Site;
  readonly output: Output;
  readonly moment: number;
  readonly held: ReadonlySet<string>;
  /** How many threads its database has; as many as there are cores by default. */
  readonly threads?: number | undefined;
}
