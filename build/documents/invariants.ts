import type {Composed, OfProduct} from './documents.ts';
import {PUBLIC} from '../../shared/paths.ts';
import {paths} from '../../shared/paths.ts';
import {NEVER_LISTED, NO_FETCH} from './texts.ts';
import type {Fault} from '../../shared/fault.ts';
import type {Site} from '../read/site.ts';
import {claims, digestFaults, nextFaults, rowFaults, textFaults, type Statements} from './document-rules.ts';
import {schemaFaults} from './schema-faults.ts';

/** Checks the documents of a product against their schemas and the invariants of the design. */
export function invariantFaults(site: Site, documents: OfProduct<Composed>): Fault[] {
  const {sample, paid, others, computed} = documents;
  const {kind, product} = computed;
  const statements = statementsOf(documents);
  const next = {name: product.name, price: product.price, url: site.base_url + paths.paid(product.name)};
  return [
    ...[sample, paid, ...others].flatMap(schemaFaults),
    ...[sample, paid].flatMap(document => [
      ...broken(document, kind.disagreements(document.value)),
      ...broken(document, claims(document.value)),
      ...broken(document, digestFaults(document.value)),
    ]),
    ...broken(sample, nextFaults(sample.value, next)),
    ...[sample, paid].flatMap(document => broken(document, textFaults(document.value, statements))),
    ...broken(paid, rowFaults(paid.value)),
  ];
}

function broken(document: Composed, sentences: readonly string[]): Fault[] {
  return sentences.map(rule => ({file: PUBLIC + document.path, rule}));
}

function statementsOf({computed: {product, kind, snapshot}}: OfProduct<Composed>): Statements {
  const frozen = [...snapshot.freezes.values()].flatMap(({source, as_of}) => [source, as_of]);
  return {
    reason: [NEVER_LISTED, ...product.siblings, ...kind.statements],
    note: [NEVER_LISTED, NO_FETCH, ...frozen, ...kind.statements],
  };
}
