import type {Rule, Rules} from '../../../shared/shapes.ts';

/** The one network of the local chain, Base Sepolia: named here as well, for a Worker cannot load the chain. */
export const network = 'eip155:84532';

/** The paid paths of a site as the x402 middleware takes them. */
export function routesOf(rules: Rules) {
  return Object.fromEntries(rules.rules.map(rule => [`GET ${rule.path}`, routeOf(rules, rule)]));
}

function routeOf({payment, base_url}: Rules, {path, price, description, type}: Rule) {
  const payTo = payment.accepts.find(accepted => accepted.network === network)?.pay_to ?? '';
  return {
    accepts: {scheme: 'exact' as const, network, price, payTo},
    resource: base_url + path,
    description,
    mimeType: type,
  } as const;
}
