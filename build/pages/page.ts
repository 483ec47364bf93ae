import {JSON_TYPE, paths} from '../../shared/paths.ts';
import type {ProductRecord} from '../documents/record.ts';
import type {Site} from '../read/site.ts';

/** A free file of the site that belongs to no product, as other pages name it. */
export interface Paper {
  /** Absolute path, e.g. `/feed.xml`. */
  readonly path: string;
  /** Content type. */
  readonly type: string;
  /** Link relation (IANA registry), by which other pages find it. */
  readonly relation?: Relation;
  /** Where it is listed: on the page for people, in `llms.txt`, and under a name of its own in OpenAPI. */
  readonly listed?: Partial<Record<PageList, readonly [title: string, purpose: string]>>;
}

type PageList = 'index' | 'llms' | 'openapi';

type Relation = 'service-meta' | 'service-desc' | 'service-doc' | 'alternate' | 'api-catalog';

/** One file in this folder, whose default export is its `Page`. */
export interface Page extends Paper {
  /**
   * Its content, or its files where it is not exactly one.
   *
   * @param papers all pages, and the catalogue
   */
  compose(site: Site, products: readonly ProductRecord[], papers: readonly Paper[]): PageContent | Promise<PageContent>;
}

type PageContent = string | Uint8Array | readonly PageFile[];

/** A file of a page that is not exactly one; its type is that of the page unless it has its own. */
export interface PageFile {
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly type?: string;
}

/** The papers of these relations, in this order. */
export function related(papers: readonly Paper[], ...relations: readonly Relation[]): Paper[] {
  return relations.flatMap(relation => papers.filter(paper => paper.relation === relation));
}

/** The papers that programs read, in the order in which they do. */
export function forPrograms(papers: readonly Paper[]): Paper[] {
  return related(papers, 'service-meta', 'service-desc', 'service-doc', 'alternate');
}

/** The papers that a list names, and what it says of them. */
export function listedIn(list: PageList, papers: readonly Paper[]) {
  return papers.flatMap(({path, type, listed: {[list]: says} = {}}) => {
    return says ? [{path, type, title: says[0], purpose: says[1]}] : [];
  });
}

/** A content type without its parameters. */
export function mediaType({type}: Pick<Paper, 'type'>): string {
  return type.replace(/;.*/, '');
}

/** The catalogue, which is no page: it is composed last, since it lists them all. */
export const catalogue: Paper = {
  path: paths.catalogue,
  type: JSON_TYPE,
  relation: 'service-meta',
  listed: {
    index: ['Catalogue', 'Every product with the size and SHA-256 of each document.'],
    llms: ['Catalogue', 'every product with the digest of each document'],
    openapi: ['catalogue', 'Every product with size and digest of each document'],
  },
};
