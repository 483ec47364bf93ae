import {JSON_TYPE, paths} from '../../shared/paths.ts';
import type {ProductRecord} from '../documents/record.ts';
import type {Site} from '../read/site.ts';

/** A free file of the site that does not belong to a product, as other pages see it. */
export interface SiteFile {
  /** Absolute path, for example `/feed.xml`. */
  readonly path: string;
  /** Content type. */
  readonly type: string;
  /** Link relation (IANA registry), by which other pages find it. */
  readonly relation?: Relation;
  /** The lists that it appears in: on the first page, in `llms.txt`, and in OpenAPI, with the operation id as title. */
  readonly listed?: Partial<Record<PageList, readonly [title: string, purpose: string]>>;
}

type PageList = 'index' | 'llms' | 'openapi';

type Relation = 'service-meta' | 'service-desc' | 'service-doc' | 'alternate' | 'api-catalog';

/** One file in this folder, whose default export is its `Page`. */
export interface Page extends SiteFile {
  /** Returns its content, or its files if it is not exactly one. `siteFiles` are all pages and the catalogue. */
  compose(
    site: Site,
    products: readonly ProductRecord[],
    siteFiles: readonly SiteFile[],
  ): PageContent | Promise<PageContent>;
}

type PageContent = string | Uint8Array | readonly PageFile[];

/** One of several files of a page. Without `type`, it has the type of the page. */
export interface PageFile {
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly type?: string;
}

/** Returns the files with these link relations, in the order of the relations. */
export function related(siteFiles: readonly SiteFile[], ...relations: readonly Relation[]): SiteFile[] {
  return relations.flatMap(relation => siteFiles.filter(file => file.relation === relation));
}

/** Returns the files for programs, in reading order. */
export function forPrograms(siteFiles: readonly SiteFile[]): SiteFile[] {
  return related(siteFiles, 'service-meta', 'service-desc', 'service-doc', 'alternate');
}

/** Returns the files in a list, with their title and purpose there. */
export function listedIn(list: PageList, siteFiles: readonly SiteFile[]) {
  return siteFiles.flatMap(({path, type, listed: {[list]: says} = {}}) => {
    return says ? [{path, type, title: says[0], purpose: says[1]}] : [];
  });
}

/** Returns a content type without its parameters. */
export function mediaType({type}: Pick<SiteFile, 'type'>): string {
  return type.replace(/;.*/, '');
}

/** The catalogue. It is not a `Page`, because it lists all files and is therefore composed last. */
export const catalogue: SiteFile = {
  path: paths.catalogue,
  type: JSON_TYPE,
  relation: 'service-meta',
  listed: {
    index: ['Catalogue', 'Every product with the size and SHA-256 of each document.'],
    llms: ['Catalogue', 'every product with the digest of each document'],
    openapi: ['catalogue', 'Every product with size and digest of each document'],
  },
};
