import {siteFaults, type PlainSite} from '../../build/read/site.ts';

/** What only the publisher knows of a site. */
export interface Answers {
  readonly title: string;
  /** What the site offers: the first page shows it. */
  readonly description: string;
  readonly base_url: string;
  readonly pay_to: string;
}

/** Where `data/site.json` has each answer. */
const FIELDS = {
  title: 'title',
  description: 'description',
  base_url: 'base_url',
  pay_to: 'payment.accepts[0].pay_to',
} as const;

/** Base Sepolia, whose money is for tests, and Base. */
const NETWORKS = {test: 'eip155:84532', main: 'eip155:8453'} as const;

/** `data/site.json` of a new site, which takes test money. */
export function siteOf({title, description, base_url, pay_to}: Answers, network: string = NETWORKS.test): PlainSite {
  const facilitator_url = 'https://x402.org/facilitator';
  return {title, description, base_url, payment: {accepts: [{network, pay_to}], facilitator_url}};
}

/**
 * The rule of `data/site.json` that an answer breaks. A payee must be one that real money may go to: a site is made to take it one day,
 * and a placeholder is easily forgotten.
 */
export async function brokenRule(name: keyof Answers, value: string): Promise<string | undefined> {
  const others = {title: 'Site', description: 'A site.', base_url: 'https://site.example', pay_to: ''};
  const faults = await siteFaults(siteOf({...others, [name]: value}, NETWORKS.main));
  return faults.find(({field}) => field === FIELDS[name])?.rule;
}
