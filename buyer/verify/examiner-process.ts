import {Worker} from 'node:worker_threads';
import type {Json, Kind} from '../../build/kinds/kind.ts';
import {editionPath, paths} from '../../shared/paths.ts';
import {counted} from '../../shared/counted.ts';
import {loadFolder} from '../../build/load-folder.ts';
import type {Catalogue} from '../../shared/shapes.ts';
import {catalogueFaults, readCatalogue} from './catalogue.ts';
import {checksFromError, verdict} from './check.ts';
import {examineDocument, examineEdition, type EditionExam} from './examine-document.ts';
import {examineProduct, type ProductExam} from './examine-product.ts';
import type {StampExam} from './examine-stamp.ts';
import {ruleChecks} from './rule-checks.ts';
import {sinceCheck, type PreviousEntry} from './since/explained.ts';
import type {ExaminedProof} from './proof-result.ts';
import {readObject} from './untrusted-json.ts';

/** An examination of untrusted input. `subject` names the input in checks. */
export type Task = {readonly subject: string} & (
  | {readonly type: 'catalogue' | 'identity'; readonly bytes: Uint8Array}
  | {readonly type: 'product'; readonly exam: ProductExam}
  | {
      readonly type: 'since';
      readonly part: 'history' | 'sample';
      readonly bytes: Uint8Array;
      readonly was: PreviousEntry;
      readonly base_url: string;
    }
  | {readonly type: 'edition'; readonly exam: EditionExam}
  | {readonly type: 'discovery'; readonly bytes: Uint8Array; readonly site: Pick<Catalogue, 'base_url' | 'payment'>}
  | {readonly type: 'stamp'; readonly exam: StampExam}
  | {readonly type: 'rules'; readonly text: string; readonly catalogue: Catalogue}
  | {
      readonly type: 'document';
      readonly bytes: Uint8Array;
      readonly schema: Uint8Array | undefined;
      /** The number of its rows, if a catalogue lists it. */
      readonly rows?: number | undefined;
    }
);

/** The results of an examination: for a proof, as in `ExaminedProof`. */
export interface Examined extends ExaminedProof {
  /** Set for a valid catalogue. */
  readonly catalogue?: Catalogue;
  /** Set for the task `identity`. */
  readonly identity?: Identity | undefined;
}

/** The product of a document; `path` is that of a paid document, or of a part of it. `as_of` is not validated. */
export type Identity = NonNullable<ReturnType<typeof identityOf>>;

async function examine(task: Task): Promise<Examined> {
  const {subject} = task;
  switch (task.type) {
    case 'catalogue': {
      const catalogue = readCatalogue(subject, task.bytes);
      const fine = `${counted(catalogue.products.length, 'product')}, ${counted(catalogue.files.length, 'further file')}`;
      return {checks: verdict('catalogue', subject, catalogueFaults(catalogue), fine), catalogue};
    }
    case 'discovery': {
      const {discoveryChecks} = await import('./discovery-checks.ts');
      return {checks: await discoveryChecks(task.bytes, task.site)};
    }
    case 'stamp': {
      const {examineStamp} = await import('./examine-stamp.ts');
      return examineStamp(subject, task.exam);
    }
    case 'rules':
      return {checks: ruleChecks(task.text, task.catalogue)};
    case 'product':
      return {checks: examineProduct(task.exam, await kinds())};
    case 'since':
      return {checks: [sinceCheck(subject, task.part, task.bytes, task.was, task.base_url)]};
    case 'edition':
      return {checks: await examineEdition(task.exam, await kinds())};
    case 'identity':
      return {checks: [], identity: identityOf(readObject(subject, task.bytes))};
    case 'document': {
      const value = readObject(subject, task.bytes);
      const schema = task.schema && readObject('the schema', task.schema);
      const kind = [...(await kinds()).values()].find(({marks}) => marks?.every(member => member in value));
      return {checks: examineDocument({subject, value, kind, schema, rows: task.rows})};
    }
  }
}

/** The kinds of products. Loaded when needed, because an examination of a catalogue needs no kind, and starts a third faster. */
const kinds = () => loadFolder<Kind>('kinds');

/** Finds the name in `next` of a sample, in `name` of a paid document, or in the key hint of a bundle. Undefined for other files. */
function identityOf(value: Json) {
  const next = value['next'] as Json | undefined;
  const hint = value['pubkey_hint'];
  const hinted = typeof hint === 'string' ? /^demo-hmac-sha256:([a-z0-9]+)$/.exec(hint)?.[1] : undefined;
  const name = next?.['name'] ?? value['name'] ?? hinted;
  const {as_of} = value;
  if (typeof name !== 'string' || typeof as_of !== 'string') return undefined;
  if (next) return {name, part: 'sample' as const, path: paths.sample(name), as_of};
  const part = value['part'] as Json | null | undefined;
  const ofPart = typeof part?.['name'] === 'string' ? {name: part['name']} : undefined;
  return {name, part: 'paid' as const, path: editionPath(name, {part: ofPart, format: 'json'}), as_of};
}

/** Converts all exceptions to failed checks, because the input is untrusted. */
async function answer(task: Task): Promise<Examined> {
  try {
    return await examine(task);
  } catch (error) {
    return {checks: checksFromError('JSON', task.subject, error)};
  }
}

// A separate thread notices that the owner has ended, even if this thread is blocked.
const WATCH = `const owner = process.ppid;
setInterval(() => process.ppid === owner || process.kill(process.pid, 'SIGKILL'), 500);`;

new Worker(WATCH, {eval: true, env: {}}).unref();
process.on('message', (task: Task) => {
  void answer(task).then(examined => process.send?.(examined));
});
