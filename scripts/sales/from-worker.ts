import {z} from '@x402/core/schemas';
import type {PublisherTokens} from '../../paywall/http/publisher.ts';
import {saleRecordSchema} from '../../paywall/ledger/sale-record.ts';
import {boundedFetch} from '../../shared/bounded-fetch.ts';
import {errorMessage} from '../../shared/error-message.ts';
import {InputError, wrongUsage} from '../../shared/fault.ts';
import {SALES_PATH} from '../../shared/paths.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import {parsedJson} from '../../shared/parsed-json.ts';
import {inPages, type RefundLedger, type SalesSource} from './source.ts';

/** The maximum number of sales in an answer of the Worker. */
const PAGE = 1_000;
const fetchBounded = boundedFetch({maxBytes: 8 * 1024 * 1024, timeoutMs: 30_000});

const pageSchema = z.object({sales: z.array(saleRecordSchema).max(PAGE)});
const notedSchema = z.object({noted: z.boolean()});

/** Returns the ledger of a gate on Cloudflare, read through its Worker with a token. Connects only when a method is called. */
export function workerAt(
  origin: string,
  {FROZEN_SALES_TOKEN, FROZEN_REFUNDS_TOKEN}: PublisherTokens,
): SalesSource & RefundLedger {
  const url = shownAddress(origin);
  const refundsToken = FROZEN_REFUNDS_TOKEN?.trim();
  // The Worker ignores spaces and line breaks around its secrets too.
  const token = refundsToken || FROZEN_SALES_TOKEN?.trim();
  const variable = refundsToken ? 'FROZEN_REFUNDS_TOKEN' : 'FROZEN_SALES_TOKEN';
  if (!token) {
    const rule = 'requires a token';
    const fix = 'Set FROZEN_SALES_TOKEN to the secret of the Worker, or FROZEN_REFUNDS_TOKEN to record a refund.';
    throw wrongUsage({code: 'FZ508', url, rule, fix});
  }
  if (!/^[ -~]+$/.test(token)) {
    const rule = 'is not a token, because it contains control characters, or characters outside ASCII';
    throw wrongUsage({code: 'FZ508', field: variable, rule});
  }

  const refused = (rule: string, cause?: unknown) => new InputError({code: 'FZ511', url, rule}, {cause});

  async function ask<T>(
    schema: z.ZodType<T>,
    query: Readonly<Record<string, string | number | undefined>>,
    body?: object,
  ): Promise<T> {
    const page = new URL(SALES_PATH, origin);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) page.searchParams.set(name, String(value));
    const asked = fetchBounded(page, {
      // A redirect would send the token to another address.
      redirect: 'error',
      headers: {Authorization: `Bearer ${token}`},
      ...(body && {method: 'POST', body: JSON.stringify(body)}),
    }).then(async response => ({status: response.status, text: await response.text()}));
    const {status, text} = await asked.catch((cause: unknown) => {
      throw refused(`does not answer: ${errorMessage(cause)}`, cause);
    });
    const answer = status === 200 ? schema.safeParse(parsedJson(text)) : undefined;
    if (answer?.success) return answer.data;
    throw refused(faultOf(status, variable) ?? `answers ${status}, and not as a Worker of this version`);
  }

  return {
    name: url,
    sales: ({from, to}) =>
      inPages(PAGE, async after => {
        const query = {limit: PAGE, from, to, after_at: after?.startedAt, after_key: after?.key};
        const {sales} = await ask(pageSchema, query);
        const [first] = sales;
        // Repeated pages would never end.
        if (after && first && first.startedAt < after.startedAt) throw refused('lists sales twice');
        return sales;
      }),
    paidBy: async transaction => (await ask(pageSchema, {transaction})).sales,
    withKey: async key => (await ask(pageSchema, {key})).sales[0],
    refund: async (key, transaction) => (await ask(notedSchema, {}, {key, transaction})).noted,
    close: () => Promise.resolve(),
  };
}

/** @param variable the token that was sent */
function faultOf(status: number, variable: string): string | undefined {
  const faults: Readonly<Record<number, string>> = {
    403: 'answers 403, because it records refunds only with its secret FROZEN_REFUNDS_TOKEN',
    404: `answers 404: its secret ${variable} is not set or differs, or the Worker has another version`,
    503: 'answers 503: its ledger cannot be used, or one of its secrets is wrong (its log has the reason)',
  };
  return faults[status];
}
