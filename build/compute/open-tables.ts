import type {Freeze} from '../read/freezes.ts';
import type {Tables, TablesKind} from '../kinds/kind.ts';

/** The tables that are open: products over the same freezes by the same names share them. */
export class OpenTables {
  private readonly root: string;
  private readonly open = new Map<string, Tables>();

  constructor(root: string) {
    this.root = root;
  }

  async of(kind: TablesKind, freezes: ReadonlyMap<string, Freeze>): Promise<Tables> {
    const key = JSON.stringify([kind.name, [...freezes].map(([name, {folder}]) => [name, folder])]);
    const known = this.open.get(key);
    if (known) return known;
    const tables = await kind.open(this.root, freezes);
    this.open.set(key, tables);
    return tables;
  }

  close(): void {
    for (const tables of this.open.values()) tables.close();
  }
}
