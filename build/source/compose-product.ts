import {allNow, refuse} from '../../shared/fault.ts';
import {encode} from '../../shared/encode.ts';
import {editionPath, paths, PUBLIC, type DocumentName} from '../../shared/paths.ts';
import {documentsOf, recordOf} from '../documents/documents.ts';
import {editionsOf, partsOf} from '../documents/editions.ts';
import {invariantFaults} from '../documents/invariants.ts';
import type {Publication, ProductRecord} from '../documents/record.ts';
import {schemasOf} from '../documents/schemas.ts';
import type {Fingerprint} from '../documents/seal.ts';
import {wordFaults} from '../kinds/figures/labels.ts';
import {productPage} from '../pages/product/product-page.ts';
import type {Site} from '../read/site.ts';
import {compile, type JsonSchema} from '../read/validator.ts';
import type {Output, Written} from '../write/stage.ts';

/** A product whose documents are staged. */
export interface ComposedProduct {
  readonly record: ProductRecord;
  /** The text of its first paid document. */
  readonly paid: string;
}

/** Composes the documents and the page of a product, checks and stages them. Throws `InputError` if one breaks a rule. */
export async function composeProduct(
  site: Site,
  output: Output,
  publication: Publication,
  written: Written[],
): Promise<ComposedProduct> {
  const [parts] = allNow(
    () => partsOf(publication),
    () => {
      refuse(wordFaults(publication.product, publication.content.figures));
    },
  );
  const {sample, paid, history} = schemasOf(publication);
  const checks = {sample: compile(sample), paid: compile(paid), history: compile(history)};
  // The objects that were compiled first: products whose documents have one shape share them.
  const schemas = {
    sample: checks.sample.schema as JsonSchema,
    paid: checks.paid.schema as JsonSchema,
    history: checks.history.schema as JsonSchema,
  };
  const documents = documentsOf(site.base_url, publication, schemas);
  refuse(invariantFaults(site.base_url, publication, documents, checks));
  const {name} = publication.product;
  const stage = (path: string, content: string | Uint8Array): Fingerprint => {
    const file = output.put(PUBLIC + path, content);
    written.push(file);
    return {sha256: file.sha256, bytes: file.bytes};
  };
  const put = (document: DocumentName, text = encode(documents[document])) => stage(paths[document](name), text);
  const [sampleText, paidText] = [encode(documents.sample), encode(documents.paid)];
  const fingerprints = {
    sample: put('sample', sampleText),
    paid: put('paid', paidText),
    sampleSchema: put('sampleSchema'),
    paidSchema: put('paidSchema'),
    history: put('history'),
  };
  const composed = await editionsOf(publication, parts, checks.paid);
  const editions = composed.map(({content, ...edition}) => ({
    ...edition,
    ...stage(editionPath(name, edition), content),
  }));
  const unpaged = recordOf(publication, {documents: fingerprints, schemas, editions});
  const excerpt = {sample: sampleText, examples: publication.content.examples ?? []};
  const record = {...unpaged, page: stage(paths.page(name), productPage(site, unpaged, excerpt))};
  return {record, paid: paidText};
}
