import type {FreezeChain} from '../../shared/chain.ts';
import {all, allNow, InputError, mapAll, refuse, type Refusal} from '../../shared/fault.ts';
import {knownInput, type KnownFile} from '../disk/known-file.ts';
import {systemFault} from '../disk/plain-file.ts';
import {DOCUMENTS} from '../documents/catalogue.ts';
import type {Publication, ProductRecord} from '../documents/record.ts';
import type {Product} from '../kinds/kind.ts';
import type {Named} from '../products/products.ts';
import {reasonOf, invariantFaults} from '../documents/invariants.ts';
import {snapshotsOf, tablesOf, type Freezes, kindOf, type SourceGroup} from '../products/source-groups.ts';
import {readFreezes, type Freeze} from '../read/freezes.ts';
import {listingOf} from '../read/listing.ts';
import type {Written, Output} from '../write/stage.ts';
import {answersOf, type Answers, type OnRead, type Question} from './contents.ts';
import type {BuildContext} from './compose-groups.ts';
import {editionPath, paths, PUBLIC} from '../../shared/paths.ts';
import {documentsOf, documentTexts, recordOf} from '../documents/documents.ts';
import {editionsOf, partsOf} from '../documents/editions.ts';
import {schemasOf} from '../documents/schemas.ts';
import type {Fingerprint} from '../../shared/digest.ts';
import {wordFaults} from '../kinds/figures/labels.ts';
import {card} from '../pages/product/card.ts';
import {productPage} from '../pages/product/product-page.ts';
import type {Site} from '../read/site.ts';
import {compile} from '../read/validator.ts';

/** The result of a source group. */
export interface SourceResult extends Refusal {
  /** A digest of the listing of its source folders, taken before they were read. */
  readonly listing: string;
  /** The files of its freezes, recorded before they were read. */
  readonly read: readonly KnownFile[];
  /** The documents of its products. Those that differ from the published files are staged. */
  readonly written: readonly Written[];
  readonly products: readonly Named[];
  /** The paid documents that bundles contain, by the product's name. */
  readonly bundled: ReadonlyMap<string, PaidTexts>;
  readonly records: readonly ProductRecord[];
  readonly chains: readonly FreezeChain[];
}

/**
 * Composes a source group: reads its freezes, answers the questions of its products about them, and composes, checks and stages the
 * documents of every product. The rows of several sources have been checked in an earlier round.
 */
export async function composeSource(context: BuildContext, group: SourceGroup, onRead: OnRead): Promise<SourceResult> {
  const {root, site, output} = context;
  const listing = listingOf(root, group.sources);
  try {
    const freezes = new Map(await mapAll(group.sources, async name => [name, await readFreezes(root, name)] as const));
    const questions = await mapAll(group.products, product => questionsOf(context, product, freezes));
    const wanted = freezesToRead(group, questions.flat(), freezes);
    const lists = wanted.flatMap(({files}) => files).map(path => knownInput(root, path));
    using answers = await answersOf(context, questions.flat(), group.sources.length > 1 ? [] : wanted, onRead);
    const [composed] = await all(
      () => mapAll(questions, async of => composeProduct(site, output, await publicationOf(of, answers))),
      () => answers.checkSteady(),
    );
    const products = group.products.map(({file, name, title, namedBy}) => ({file, name, title, namedBy}));
    const bundled = composed.filter(({record}) => context.bundled.has(record.name));
    return {
      ...InputError.merged([]).refusal(),
      ...{listing, products},
      read: [...[...freezes.values()].flat().map(({known}) => known), ...lists],
      written: composed.flatMap(({written}) => written),
      bundled: new Map(bundled.map(({record, paid}) => [record.name, paid])),
      records: composed.map(({record}) => record),
      chains: [...freezes].map(([name, all]) => ({name, freezes: all.map(({link}) => link)})),
    };
  } catch (cause) {
    const error = systemFault(root, cause, 'read');
    if (!(error instanceof InputError)) throw error;
    const none = {read: [], written: [], products: [], bundled: new Map<string, PaidTexts>(), records: [], chains: []};
    return {...error.refusal(), listing, ...none};
  }
}

function questionsOf({kinds}: BuildContext, product: Product, freezes: Freezes): Question[] {
  const kind = kindOf(product, kinds);
  const snapshots = snapshotsOf(product, tablesOf(product, kind), freezes);
  return snapshots.map(snapshot => ({product, kind, snapshot, published: snapshot === snapshots.at(-1)}));
}

function freezesToRead({shared}: SourceGroup, questions: readonly Question[], freezes: Freezes): Freeze[] {
  const asked = new Set(questions.flatMap(({snapshot}) => [...snapshot.freezes.values()]));
  return [...freezes.values()].flat().filter(freeze => shared || asked.has(freeze));
}

async function publicationOf(questions: readonly Question[], answers: Answers): Promise<Publication> {
  const given = await mapAll(questions, async question => ({question, content: await answers.of(question)}));
  const answered = given.flatMap(({question, content}) => (content ? [{question, content}] : []));
  const history = answered.map(({question: {product, kind, snapshot}, content: {figures, summary, chart}}) => ({
    as_of: snapshot.as_of,
    figures,
    summary,
    reason: reasonOf(product, kind, summary),
    ...(chart && {chart}),
  }));
  const [last, published] = [answered.at(-1), history.at(-1)];
  if (!last || !published) throw new Error('a product without a snapshot');
  const {product, kind, snapshot} = last.question;
  const shapes = [...new Set(answered.map(({content}) => content.shape))];
  const freezes = [...new Set(snapshot.freezes.values())];
  return {product, kind, freezes, content: last.content, published, history, shapes};
}

/** The texts of the first paid document of a product, and of its schema. */
export interface PaidTexts {
  readonly document: string;
  readonly schema: string;
}

/** Composes, checks and stages the documents and page of a product. Throws `InputError` if a document breaks a rule. */
export async function composeProduct(site: Site, output: Output, publication: Publication) {
  const [parts] = allNow(
    () => partsOf(publication),
    () => {
      refuse(wordFaults(publication.product, publication.content.figures));
    },
  );
  const {sample, paid, history} = schemasOf(publication);
  const checks = {sample: compile(sample), paid: compile(paid), history: compile(history)};
  const documents = documentsOf(site.base_url, publication);
  refuse(invariantFaults(site.base_url, publication, documents, checks));
  const texts = documentTexts(site.base_url, publication, documents, checks);
  const {name} = publication.product;
  const stage = (path: string, content: string | Uint8Array) => output.put(PUBLIC + path, content);
  const files = DOCUMENTS.map(document => [document, stage(paths[document](name), texts[document])] as const);
  const fingerprints = Object.fromEntries(files.map(([document, file]) => [document, fingerprint(file)]));
  const composed = await editionsOf(publication, parts, checks.paid);
  const editions = composed.map(({content, ...edition}) => ({
    edition,
    file: stage(editionPath(name, edition), content),
  }));
  const unpaged = recordOf(publication, {
    documents: fingerprints as ProductRecord['documents'],
    editions: editions.map(({edition, file}) => ({...edition, ...fingerprint(file)})),
  });
  const excerpt = {sample: texts.sample, examples: publication.content.examples ?? []};
  const page = stage(paths.page(name), productPage(site, unpaged, excerpt));
  const {as_of, figures, summary, reason} = unpaged.published;
  const record = {
    ...unpaged,
    published: {as_of, figures, summary, reason},
    history: unpaged.history.map(point => ({as_of: point.as_of, reason: point.reason})),
    page: fingerprint(page),
    card: card(unpaged),
  };
  return {
    record,
    paid: {document: texts.paid, schema: texts.paidSchema},
    written: [...files.map(([, file]) => file), ...editions.map(({file}) => file), page],
  };
}

function fingerprint({sha256, bytes}: Fingerprint): Fingerprint {
  return {sha256, bytes};
}
