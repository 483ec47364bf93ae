import {payTo} from './fixture-site.ts';
import {signedSite, type SignedSite} from './signed-site.ts';

/** The longest name that a document can have. The paths of its sample and schema are as long. */
const name = 'n'.repeat(243);

export const widestPath = `/api/v1/${name}`;

/**
 * Makes a signed site that sells a document with the longest possible 402: a long address and title, a description of
 * more than 500 characters, 300 columns, two networks, a pass, and the challenge to sign in.
 */
export async function widestSite(): Promise<SignedSite> {
  const columns = Array.from({length: 300}, (_, index) => `indicator_value_${index}`);
  const title = 'Title '.repeat(33).trim();
  return signedSite({
    accepts: ['eip155:84532', 'eip155:421614'].map(network => ({network, pay_to: payTo})),
    product: {name, title, price: '$999999.123456', columns},
    alter({rules, catalogue}) {
      rules.title = catalogue.title = 'A site of many lists';
      for (const rule of rules.rules) {
        Object.assign(rule, {pass: {next: 100}, example: {name: rule.name, rows: [], columns}});
        rule.description = `${title}: "the lists" of José, 雪だるま and others. `.repeat(10);
      }
      for (const product of catalogue.products)
        Object.assign(product, {pass: {next: 100}, next_expected: '2026-06-01T00:00:00.000Z'});
    },
  });
}
