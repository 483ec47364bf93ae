import type {Rule} from '../../shared/shapes.ts';
import type {Hosted} from '../../build/hosts/host.ts';
import type {Payee} from '../../shared/payees.ts';
import aws from '../../build/hosts/aws.ts';
import type {Template} from './template.ts';

export const TEST_WALLET = {network: 'eip155:84532', pay_to: '0x036CbD53842c5426634e7929541eC2318f3dCF7e'};

export function ruleFor(name: string, price: string): Rule {
  return {
    name,
    method: 'GET',
    path: `/api/v1/${name}`,
    price,
    title: name,
    description: `The ${name} document.`,
    type: 'application/json; charset=utf-8',
    sample: `/api/v1/samples/${name}.json`,
    schema: `/api/v1/schemas/${name}.json`,
  };
}

/** Returns a site that sells the named products at the given prices. */
export function hosted(prices: Record<string, string>, accepts: readonly Payee[] = [TEST_WALLET]): Hosted {
  const payment = {accepts, facilitator_url: 'https://x402.org/facilitator'};
  const site = {title: 'Frozen Snapshots', base_url: 'https://snapshots.example', payment};
  const rules = Object.entries(prices).map(([name, price]) => ruleFor(name, price));
  return {site, rules, pages: []};
}

/** The three products of the specification. */
export const three = hosted({webhookbundle: '$0.15', softfail3: '$0.02', firstlastsame: '$0.02'});

export interface Composed {
  readonly text: string;
  readonly template: Template;
  readonly notes: readonly string[];
}

export function composeAws(from: Hosted): Composed {
  const {files, notes} = aws.compose(from);
  const text = files.get('paywall/rules/aws.template.json') ?? '';
  // Only here the text becomes the type that the tests read. The validator checks the rest of it.
  return {text, template: JSON.parse(text) as Template, notes};
}

/** Returns the free paths of a site, which must never be blocked. */
export function freePaths({rules}: Hosted): string[] {
  const pages = [
    '/',
    '/index.html',
    '/404.html',
    '/robots.txt',
    '/sitemap.xml',
    '/feed.xml',
    '/llms.txt',
    '/openapi.json',
    '/serve.json',
    '/_headers',
  ];
  const others = ['/favicon.svg', '/.well-known/api-catalog', '/api/v1/index.json'];
  const documents = rules.flatMap(({name, sample, schema}) => [
    ...[sample, schema, `/api/v1/schemas/${name}.sample.json`, `/api/v1/history/${name}.json`],
  ]);
  return [...pages, ...others, ...documents];
}
