import {join} from 'node:path';
import {mapAll, refuse, type Fault} from '../../shared/fault.ts';
import {paths, PUBLIC} from '../../shared/paths.ts';
import {readNow} from '../disk/known-file.ts';
import type {Frozen, Point, Publication, ProductRecord} from '../documents/record.ts';
import {reasonOf} from '../documents/invariants.ts';
import {withoutPart} from '../documents/schemas.ts';
import {documentFaults} from '../hosts/host.ts';
import {MOST_NEXT} from '../kinds/bundle.ts';
import {MOST_BYTES, type BundledDocument, type Json} from '../kinds/kind.ts';
import type {Bundle} from '../products/source-groups.ts';
import {composeProduct, type SourceResult} from '../source/compose-source.ts';
import type {Site} from '../read/site.ts';
import type {Output, Written} from '../write/stage.ts';

/** The products that are not bundles. */
export interface OtherProducts {
  readonly root: string;
  readonly site: Site;
  readonly records: readonly ProductRecord[];
  /** The source groups that this build composed. The paid documents of other source groups are on disk already. */
  readonly groups: ReadonlyMap<unknown, Pick<SourceResult, 'bundled'>>;
}

/** Composes, checks and stages the documents of bundles. Throws `InputError` if one breaks a rule. */
export async function composeBundles(
  bundles: readonly Bundle[],
  composed: OtherProducts,
  output: Output,
): Promise<{readonly records: ProductRecord[]; readonly written: Written[]}> {
  const byName = new Map(composed.records.map(record => [record.name, record]));
  const membersOf = ({names}: Bundle) => names.flatMap(name => byName.get(name) ?? []);
  const tooLarge = bundles.flatMap(bundle => sizeFaults(bundle, membersOf(bundle)));
  if (tooLarge.length > 0) refuse([...composed.records.flatMap(documentFaults), ...tooLarge]);
  const products = await mapAll(bundles, bundle =>
    composeProduct(composed.site, output, bundlePublication(bundle, membersOf(bundle), composed)),
  );
  return {records: products.map(({record}) => record), written: products.flatMap(({written}) => written)};
}

/**
 * A bundle is larger than the documents in it. Checked first, so that a bundle that is too large for every host is refused before its
 * documents are loaded.
 */
function sizeFaults({product: {file}}: Bundle, members: readonly ProductRecord[]): Fault[] {
  const bytes = members.reduce((sum, {documents}) => sum + documents.paid.bytes, 0);
  const rule = `contains documents of ${bytes} bytes, and hosts accept at most ${MOST_BYTES}`;
  return bytes > MOST_BYTES ? [{code: 'FZ109', file, field: 'bundle', rule}] : [];
}

function bundlePublication(
  {product, kind}: Bundle,
  members: readonly ProductRecord[],
  composed: OtherProducts,
): Publication {
  const content = kind.answer(
    product,
    members.map(member => bundledDocument(member, composed)),
  );
  const {figures, summary, chart} = content;
  const history = bundleTimes(members).map((as_of): Point => ({
    ...{as_of, figures, summary},
    reason: reasonOf(product, kind, summary),
    ...(chart && {chart}),
  }));
  const [published] = history.slice(-1);
  if (!published) throw new Error('a bundle without a snapshot');
  const next = kind.next(product);
  // The snapshots that decide if a pass has ended: one more per product than a pass can include.
  const latest = ({history}: ProductRecord) => history.slice(-MOST_NEXT - 1).map(({as_of}) => as_of);
  const snapshots = Object.fromEntries(members.map(member => [member.name, latest(member)]));
  const freezes = bundleFreezes(members);
  return {product, kind, freezes, content, published, history, shapes: [content.shape], next, snapshots};
}

/** The times of a bundle's snapshots: those of its products from the first one at which all of them have a snapshot. */
function bundleTimes(members: readonly ProductRecord[]): string[] {
  const firsts = members.map(({history, published}) => (history[0] ?? published).as_of);
  const [from = ''] = firsts.sort().slice(-1);
  const times = new Set(members.flatMap(({history}) => history.map(({as_of}) => as_of)));
  return [...times].sort().filter(as_of => as_of >= from);
}

function bundleFreezes(members: readonly ProductRecord[]): Frozen[] {
  const freezes = members.flatMap(member => member.freezes);
  return [...new Map(freezes.map(freeze => [`${freeze.source} ${freeze.as_of}`, freeze])).values()];
}

function bundledDocument(
  record: ProductRecord,
  {root, site: {base_url: baseUrl}, groups}: OtherProducts,
): BundledDocument {
  const {name, title, price, published, documents} = record;
  const composed = [...groups.values()].find(({bundled}) => bundled.has(name))?.bundled.get(name);
  const onDisk = (path: string) => readNow(join(root, PUBLIC + path)).toString();
  const text = composed?.document ?? onDisk(paths.paid(name));
  const schema = withoutPart(JSON.parse(composed?.schema ?? onDisk(paths.paidSchema(name))) as Json);
  // The schema of the bundle has a head of its own.
  const members = Object.entries(schema).filter(([member]) => !['$schema', '$id', 'title'].includes(member));
  return {
    name,
    title,
    as_of: published.as_of,
    price: price.text,
    url: baseUrl + paths.paid(name),
    sample: baseUrl + paths.sample(name),
    sha256: documents.paid.sha256,
    document: JSON.parse(text) as Json,
    schema: Object.fromEntries(members),
  };
}
