import type {Host} from '../hosts/host.ts';
import {loadFolder} from '../load-folder.ts';
import type {Page} from '../pages/page.ts';
import type {Site} from '../read/site.ts';

/** The modules that make files of records. */
export interface Makers {
  readonly hosts: readonly Host[];
  /** Whether the site names its hosts. Otherwise `hosts` are all that exist. */
  readonly areHostsChosen: boolean;
  readonly pages: readonly Page[];
}

/** Loads all pages, and the hosts that the site names, or all. */
export async function makersOf({hosts: names}: Site): Promise<Makers> {
  const [hosts, pages] = await Promise.all([loadFolder<Host>('hosts'), loadFolder<Page>('pages')]);
  const chosen = names?.flatMap(name => hosts.get(name) ?? []);
  return {hosts: chosen ?? [...hosts.values()], areHostsChosen: chosen !== undefined, pages: [...pages.values()]};
}
