import type {SettlementRecord, SettlementStatus} from '@aws-sdk/client-wafv2';
import {getDefaultAsset} from '@x402/evm';
import {parseUnits} from 'viem';
import type {SaleRecord} from '../../paywall/ledger/sale-record.ts';
import type {State} from '../../paywall/ledger/sale.ts';
import {InputError} from '../../shared/fault.ts';
import {answerOf, awsAt, requireCredentials, type Aws} from '../deploy/aws.ts';
import type {SalesSource} from './source.ts';

const CALL = 'wafv2 ListSettlementRecords';
const PAGE = 100;
const WINDOW_MS = 90 * 24 * 3_600_000;
/** The API lists one currency mode at a time. */
const MODES = ['REAL', 'TEST'] as const;
/** The names of networks in AWS, and in CAIP-2. */
const NETWORKS: Readonly<Record<string, `eip155:${number}`>> = {BASE: 'eip155:8453', BASE_SEPOLIA: 'eip155:84532'};

const states = {
  SETTLED: 'delivered',
  PENDING: 'pending',
  FAILED: 'declined',
  SERVICE_ERROR: 'declined',
  SKIPPED_ORIGIN_ERROR: 'declined',
  DUPLICATE: 'declined',
} as const satisfies Record<SettlementStatus, State>;

/**
 * Returns the settlements recorded by AWS WAF: real money first, then test money. The default period is the last 90 days. Throws
 * `InputError` without credentials, before a request is sent.
 */
export async function awsSettlements(): Promise<SalesSource> {
  const aws = awsAt(undefined);
  await requireCredentials(aws);
  const {waf} = aws;
  return {
    name: 'AWS WAF',
    async *sales({from, to = Date.now()}) {
      const begin = from ?? to - WINDOW_MS;
      for (const mode of MODES)
        for (let start = begin; start < to; start += WINDOW_MS)
          yield* recordsIn(waf, mode, new Date(start), new Date(Math.min(start + WINDOW_MS, to)));
    },
    close: () => Promise.resolve(),
  };
}

async function* recordsIn(
  waf: Pick<Aws['waf'], 'listSettlementRecords'>,
  mode: (typeof MODES)[number],
  StartTime: Date,
  EndTime: Date,
): AsyncGenerator<SaleRecord> {
  const seen = new Set<string>();
  let marker: string | undefined;
  do {
    const asked = waf.listSettlementRecords({
      TimeWindow: {StartTime, EndTime},
      Scope: 'CLOUDFRONT',
      Currency: 'USDC',
      Filters: [{Name: 'CurrencyMode', Values: [mode]}],
      SortBy: 'TIMESTAMP',
      SortOrder: 'ASC',
      Limit: PAGE,
      ...(marker !== undefined && {NextMarker: marker}),
    });
    const {Settlements = [], NextMarker} = await answerOf(CALL, asked);
    yield* Settlements.map(recordOf);
    if (NextMarker && seen.has(NextMarker))
      throw new InputError({code: 'FZ511', subject: CALL, rule: 'lists the same page again'});
    marker = NextMarker || undefined;
    if (marker !== undefined) seen.add(marker);
  } while (marker !== undefined);
}

function recordOf(settlement: SettlementRecord): SaleRecord {
  const {Timestamp, Status, Amount = '', Network = '', ContentPath = '', TransactionId, RequestId} = settlement;
  const network = NETWORKS[Network];
  const {asset, decimals} = network ? getDefaultAsset(network, 'USDC') : {asset: 'USDC', decimals: 6};
  const at = (Timestamp ?? new Date(NaN)).getTime();
  const state = Status && states[Status];
  if (Number.isNaN(at) || !state || !/^\d+(\.\d{1,6}0*)?$/.test(Amount)) {
    const rule = 'does not have a valid time, status and amount';
    throw new InputError({code: 'FZ511', subject: CALL, field: 'settlement', value: RequestId ?? '', rule});
  }
  return {
    key: RequestId ?? '',
    network: network ?? Network,
    asset,
    payer: settlement.PayerAddress?.toLowerCase() ?? '',
    payTo: settlement.WalletAddress ?? '',
    amount: parseUnits(Amount, decimals).toString(),
    nonce: '',
    product: /^\/api\/v1\/([a-z0-9]+)$/.exec(ContentPath)?.[1] ?? ContentPath,
    url: ContentPath,
    sha256: '',
    asOf: '',
    price: Amount,
    state,
    reason: state === 'declined' ? Status : null,
    transaction: TransactionId ?? null,
    startedAt: at,
    settledAt: state === 'delivered' ? at : null,
    deliveredAt: state === 'delivered' ? at : null,
    refund: null,
    refundedAt: null,
    leasedUntil: 0,
    readAt: at,
  };
}
