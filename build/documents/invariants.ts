import type {Fault} from '../../shared/fault.ts';
import {paths, PUBLIC, type DocumentName} from '../../shared/paths.ts';
import {claims, nextFaults, rowFaults, textFaults, type Statements} from './document-rules.ts';
import type {Documents} from './documents.ts';
import type {Publication} from './publication.ts';
import type {Schemas} from './record.ts';
import {schemaFaults, type CompiledSchema} from './schema-checks.ts';
import {NEVER_LISTED, NO_FETCH} from './texts.ts';

/** Checks the documents of a product against their schemas and the invariants of the design. */
export function invariantFaults(
  baseUrl: string,
  publication: Publication,
  documents: Documents,
  compiled: Readonly<Record<keyof Schemas, CompiledSchema>>,
): Fault[] {
  const {kind, product} = publication;
  const {name} = product;
  const statements = statementsOf(publication);
  const next = {name, price: product.price.text, url: baseUrl + paths.paid(name)};
  const file = (document: DocumentName) => PUBLIC + paths[document](name);
  const broken = (document: DocumentName, rules: readonly string[]) =>
    rules.map(rule => ({file: file(document), rule}));
  return [
    ...(['sample', 'paid', 'history'] as const).flatMap(document =>
      schemaFaults(file(document), documents[document], compiled[document]),
    ),
    ...(['sample', 'paid'] as const).flatMap(document =>
      broken(document, [...kind.disagreements(documents[document]), ...claims(documents[document])]),
    ),
    ...broken('sample', nextFaults(documents.sample, next)),
    ...(['sample', 'paid'] as const).flatMap(document => broken(document, textFaults(documents[document], statements))),
    ...broken('paid', rowFaults(documents.paid)),
  ];
}

function statementsOf({product, kind, freezes}: Publication): Statements {
  const frozen = freezes.flatMap(({source, as_of}) => [source, as_of]);
  return {
    reason: [NEVER_LISTED, ...product.siblings, ...kind.statements],
    note: [NEVER_LISTED, NO_FETCH, ...frozen, ...kind.statements],
  };
}
