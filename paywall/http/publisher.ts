import {createHash, timingSafeEqual} from 'node:crypto';
import {z} from '@x402/core/schemas';
import {SALES_PATH} from '../../shared/paths.ts';
import type {Ledger, Page} from '../ledger/ledger.ts';
import {saleRecordSchema} from '../ledger/sale-record.ts';

const MAX_SALES = 1_000;

const time = z.coerce.number().int().nonnegative();
const pageSchema = z
  .object({
    limit: z.coerce.number().int().min(1).max(MAX_SALES).default(MAX_SALES),
    from: time.optional(),
    to: time.optional(),
    transaction: z.string().optional(),
    /** Lists only sales after the sale with this start and this key. */
    after_at: time.optional(),
    after_key: z.string().optional(),
  })
  .strict();
const keySchema = z.object({key: z.string()}).strict();
const refundSchema = z.object({key: z.string(), transaction: z.string().regex(/^0x[0-9a-f]{64}$/)}).strict();

/** The secrets for access to the sales of a Worker. An empty secret counts as unset. */
export interface PublisherTokens {
  readonly FROZEN_SALES_TOKEN?: string | undefined;
  readonly FROZEN_REFUNDS_TOKEN?: string | undefined;
}

/**
 * Answers the publisher's requests for sales. FROZEN_SALES_TOKEN lists sales in pages and finds a sale by its key; FROZEN_REFUNDS_TOKEN also records
 * refunds. Returns undefined without one of these tokens, so that other clients do not learn that the path exists.
 */
export async function answerPublisher(
  request: Request,
  {FROZEN_SALES_TOKEN, FROZEN_REFUNDS_TOKEN}: PublisherTokens,
  ledger: Pick<Ledger, 'list' | 'find' | 'refund'>,
): Promise<Response | undefined> {
  const {pathname, searchParams} = new URL(request.url);
  if (pathname !== SALES_PATH) return undefined;
  const mayWrite = isBearer(request, FROZEN_REFUNDS_TOKEN);
  if (!mayWrite && !isBearer(request, FROZEN_SALES_TOKEN)) return undefined;
  try {
    if (request.method === 'POST') {
      if (!mayWrite) return answer(403, {error: 'refunds can be recorded only with the secret FROZEN_REFUNDS_TOKEN'});
      const {key, transaction} = read(refundSchema, await request.json());
      return answer(200, {noted: await ledger.refund(key, transaction)});
    }
    const query = Object.fromEntries(searchParams);
    if ('key' in query) return answer(200, {sales: await saleOf(read(keySchema, query).key, ledger)});
    const sales = await ledger.list(pageOf(read(pageSchema, query)));
    return answer(200, {sales: sales.map(sale => saleRecordSchema.parse(sale))});
  } catch (error) {
    if (error instanceof SyntaxError) return answer(400, {error: 'malformed'});
    return answer(503, {error: 'the ledger cannot be used'});
  }
}

/** Validates a query or a body. Throws `SyntaxError` if it does not match the schema. */
function read<T>(schema: z.ZodType<T, z.ZodTypeDef, unknown>, value: unknown): T {
  const {success, data} = schema.safeParse(value);
  if (!success) throw new SyntaxError('malformed');
  return data;
}

function pageOf({limit, from, to, transaction, after_at, after_key}: z.infer<typeof pageSchema>): Page {
  const after = after_at === undefined ? undefined : {startedAt: after_at, key: after_key ?? ''};
  return {limit, from, to, transaction, after};
}

async function saleOf(key: string, ledger: Pick<Ledger, 'find'>) {
  const {same} = await ledger.find(key, {network: '', payer: '', url: ''});
  return same ? [saleRecordSchema.parse(same)] : [];
}

/** Compares digests, so that the time reveals nothing about the token or its length. A secret from a file may end with a line break. */
function isBearer(request: Request, token: string | undefined): boolean {
  if (!token?.trim()) return false;
  const digestOf = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digestOf(request.headers.get('Authorization') ?? ''), digestOf(`Bearer ${token.trim()}`));
}

function answer(status: number, body: object): Response {
  return Response.json(body, {
    status,
    headers: {'Cache-Control': 'private, no-store', 'X-Content-Type-Options': 'nosniff'},
  });
}
