import {decodePaymentRequiredHeader} from '@x402/core/http';
import {PaymentRequiredV2Schema, type PaymentRequiredV2} from '@x402/core/schemas';
import {requirementsOf} from '../../shared/payment-requirements.ts';
import type {Catalogue, Entry} from '../../shared/shapes.ts';
import {verdict, type Check} from './check.ts';
import {offerChecks} from './offer-checks.ts';
import type {Answer} from './web.ts';

type Requirement = Pick<PaymentRequiredV2['accepts'][number], 'scheme' | 'network' | 'amount' | 'asset' | 'payTo'>;

/**
 * Checks a 402. Its PAYMENT-REQUIRED must have exactly the price in the catalogue, for the site's payee, in the dollar token of the network.
 * Only this header is checked, because AWS WAF does not allow changes of body, cache headers, links or CORS.
 */
export async function termChecks(answer: Answer, path: string, entry: Entry, catalogue: Catalogue): Promise<Check[]> {
  const asked = decoded(answer.headers['payment-required']);
  const faults = typeof asked === 'string' ? [asked] : await termFaults(asked, answer, entry, catalogue);
  return [
    ...verdict('402', path, faults, "asks the catalogue's price for the site's payee"),
    ...(typeof asked === 'string' ? [] : await offerChecks(answer.bytes, path, entry, catalogue)),
  ];
}

async function termFaults(
  asked: PaymentRequiredV2,
  {headers}: Answer,
  entry: Entry,
  catalogue: Catalogue,
): Promise<string[]> {
  const expected = await expectedOf(entry, catalogue);
  if (typeof expected === 'string') return [expected];
  const cache = headers['cache-control'] ?? '';
  return [
    ...expected.flatMap(one => requirementFaults(one, asked.accepts)),
    ...asked.accepts
      .filter(({scheme, network}) => !expected.some(one => one.scheme === scheme && one.network === network))
      .map(({scheme, network}) => `also accepts ${scheme} on ${network}, which is not in the catalogue`),
    ...(/max-age\s*=\s*"?[1-9]/.test(cache)
      ? [`may be cached (${cache}), so a buyer who pays could receive it again`]
      : []),
  ];
}

function decoded(header: string | string[] | undefined): PaymentRequiredV2 | string {
  if (typeof header !== 'string') return 'has no PAYMENT-REQUIRED header';
  try {
    const {success, data, error} = PaymentRequiredV2Schema.safeParse(decodePaymentRequiredHeader(header));
    const [issue] = error?.issues ?? [];
    return success
      ? data
      : `PAYMENT-REQUIRED is not of x402 version 2: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`;
  } catch {
    // The package throws different errors for invalid base64 and invalid JSON.
    return 'PAYMENT-REQUIRED is not base64 of JSON';
  }
}

/** Computes the requirements of this project's gate from the catalogue. */
async function expectedOf(entry: Entry, catalogue: Catalogue): Promise<readonly Requirement[] | string> {
  try {
    return await requirementsOf(entry, catalogue);
  } catch (error) {
    return `its price cannot be computed: ${(error as Error).message}`;
  }
}

function requirementFaults(expected: Requirement, accepts: readonly Requirement[]): string[] {
  const {scheme, network} = expected;
  const offers = accepts.filter(offer => offer.scheme === scheme && offer.network === network);
  if (offers.length === 0) return [`does not accept ${scheme} on ${network}, which the catalogue lists`];
  return offers.flatMap(offer =>
    (['amount', 'asset', 'payTo'] as const)
      // Addresses are compared without case.
      .filter(member => offer[member].toLowerCase() !== expected[member].toLowerCase())
      .map(member => `${member} is ${offer[member]}, not ${expected[member]}, on ${network}`),
  );
}
