import {siteFaults, type PlainSite} from '../../build/read/site.ts';

/** The settings of a site that only the publisher knows. */
export interface Answers {
  readonly title: string;
  /** Shown on the first page. */
  readonly description: string;
  readonly base_url: string;
  readonly pay_to: string;
}

/** The path of each answer in `data/site.json`. */
const FIELDS = {
  title: 'title',
  description: 'description',
  base_url: 'base_url',
  pay_to: 'payment.accepts[0].pay_to',
} as const;

/** Base Sepolia (test money) and Base. */
const NETWORKS = {test: 'eip155:84532', main: 'eip155:8453'} as const;

/** Returns `data/site.json` of a new site, which accepts test money. */
export function siteOf({title, description, base_url, pay_to}: Answers, network: string = NETWORKS.test): PlainSite {
  const facilitator_url = 'https://x402.org/facilitator';
  return {title, description, base_url, payment: {accepts: [{network, pay_to}], facilitator_url}};
}

/**
 * Returns the rule of `data/site.json` that an answer violates. The payee must be valid for real money, because a placeholder would easily
 * be forgotten when the network changes.
 */
export async function brokenRule(name: keyof Answers, value: string): Promise<string | undefined> {
  const others = {title: 'Site', description: 'A site.', base_url: 'https://site.example', pay_to: ''};
  const faults = await siteFaults(siteOf({...others, [name]: value}, NETWORKS.main));
  return faults.find(({field}) => field === FIELDS[name])?.rule;
}
