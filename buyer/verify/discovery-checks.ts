import {proverOf} from '../../shared/ownership.ts';
import {OPENAPI} from '../../shared/paths.ts';
import type {Catalogue} from '../../shared/shapes.ts';
import {MAX_PAYEES} from './bounds.ts';
import {failed, noted, passed, verdict, type Check} from './check.ts';
import {isObject, readObject} from './untrusted-json.ts';

const WHAT = 'discovery';

/** For a site with many products, this warning is expected. */
const MANY = 'L2_ROUTE_COUNT_HIGH';

/** The number of warnings depends on untrusted input, so it is limited. */
const MOST_WARNINGS = 100;

/** The network of the sites in x402scan. */
const LISTED = 'eip155:8453';

/** Checks the OpenAPI description of a site with the rules of agentcash and x402scan, and its ownership proofs against its payees. */
export async function discoveryChecks(
  bytes: Uint8Array,
  site: Pick<Catalogue, 'base_url' | 'payment'>,
): Promise<Check[]> {
  const {base_url, payment} = site;
  const proofs = proofsIn(readObject(OPENAPI, bytes)['x-discovery']);
  if (proofs.length > MAX_PAYEES) return [failed('ownership', OPENAPI, `has more than ${MAX_PAYEES} proofs`)];
  const provers = await Promise.all(proofs.map(proof => proverOf(proof, base_url, payment.accepts)));
  const proved = new Set(provers.map(payee => payee?.pay_to));
  const faults = provers.flatMap((payee, index) =>
    payee ? [] : [`x-discovery.ownershipProofs[${index}] is not a signature of a payee over ${base_url}`],
  );
  const unlisted = [
    ...(base_url.startsWith('https:') ? [] : ['base_url is not https']),
    ...(payment.accepts.some(({network}) => network === LISTED) ? [] : [`accepts no payments on ${LISTED}`]),
    ...(payment.accepts.every(({pay_to}) => proved.has(pay_to))
      ? []
      : ['a payee has not proved that it owns the site']),
  ];
  return [
    ...(await agentcashChecks(bytes)),
    ...(proofs.length > 0 ? verdict('ownership', OPENAPI, faults, `proved by ${[...proved].join(', ')}`) : []),
    ...(unlisted.length > 0
      ? [noted(WHAT, OPENAPI, `x402scan would not list the site as yours: ${unlisted.join('; ')}`)]
      : []),
  ];
}

function proofsIn(discovery: unknown): string[] {
  const proofs = isObject(discovery) ? discovery['ownershipProofs'] : undefined;
  return Array.isArray(proofs) ? proofs.map(String) : [];
}

/** Returns the warnings of agentcash. Its package requires an address; a `data:` address needs no network. */
async function agentcashChecks(bytes: Uint8Array): Promise<Check[]> {
  const agentcash = await import('@agentcash/discovery');
  const address = `data:application/json;base64,${Buffer.from(bytes).toString('base64')}`;
  const openapi = (await agentcash.getOpenAPI('', undefined, undefined, address)).unwrapOr(null);
  const warnings = agentcash.getWarningsForOpenAPI(openapi);
  if (openapi && !agentcash.isOpenApiParseFailure(openapi)) {
    warnings.push(...agentcash.getWarningsForL2(agentcash.checkL2ForOpenAPI(openapi)));
    warnings.push(...agentcash.getWarningsForL4(agentcash.checkL4ForOpenAPI(openapi)));
  }
  if (warnings.length === 0) return [passed(WHAT, OPENAPI, 'agentcash has no warning')];
  return warnings
    .slice(0, MOST_WARNINGS)
    .map(({severity, code, message}) =>
      (severity === 'info' || code === MANY ? noted : failed)(WHAT, OPENAPI, `agentcash: ${message}`),
    );
}
