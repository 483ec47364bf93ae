import {cp, mkdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {network} from '../../../scripts/local-chain/chain.ts';
import {readRules} from '../../../buyer/verify/rule-checks.ts';

interface Paid {
  readonly payment: {readonly accepts: readonly {readonly network: string; readonly pay_to: string}[]};
}

/** Copies the output of a site, and changes its payment network to the local chain. */
export async function copyPaidHere(root: string, site: string): Promise<void> {
  const {payment} = await readRules(root);
  const [first] = payment.accepts;
  const accepts = payment.accepts.filter(accepted => accepted.network === network);
  if (accepts.length === 0 && first) accepts.push({...first, network});
  await mkdir(join(site, 'paywall'), {recursive: true});
  for (const part of ['public', 'paywall/rules']) await cp(join(root, part), join(site, part), {recursive: true});
  for (const file of ['paywall/rules/rules.json', 'public/api/v1/index.json']) {
    const paid = JSON.parse(await readFile(join(site, file), 'utf8')) as Paid;
    await writeFile(join(site, file), JSON.stringify({...paid, payment: {...paid.payment, accepts}}));
  }
}
