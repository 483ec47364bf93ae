import type {PaymentPayload, PaymentRequirements} from '@x402/core/types';
import {x402Facilitator} from '@x402/core/facilitator';
import {toFacilitatorEvmSigner} from '@x402/evm';
import {ExactEvmScheme} from '@x402/evm/exact/facilitator';
import {Hono} from 'hono';
import {createWalletClient, http, parseEther, publicActions} from 'viem';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {baseSepolia} from 'viem/chains';
import {newQueue} from '../../shared/queue.ts';
import {fetchFromNode, network, type LocalChain, receiptOf} from './chain.ts';
import {listen, type Listening} from './listen.ts';

interface Order {
  readonly paymentPayload: PaymentPayload;
  readonly paymentRequirements: PaymentRequirements;
}

/** Starts an x402 facilitator for the local chain. It verifies payments and settles them with its own wallet. */
export async function startFacilitator(chain: LocalChain): Promise<Listening> {
  const facilitator = new x402Facilitator().register(network, new ExactEvmScheme(await signerOn(chain)));
  // Concurrent transactions of a wallet would have the same nonce.
  const inTurn = newQueue();
  const app = new Hono()
    .get('/supported', c => c.json(facilitator.getSupported()))
    .post('/verify', async c => {
      const {paymentPayload, paymentRequirements} = await c.req.json<Order>();
      return c.json(await facilitator.verify(paymentPayload, paymentRequirements));
    })
    .post('/settle', async c => {
      const {paymentPayload, paymentRequirements} = await c.req.json<Order>();
      return c.json(await inTurn(() => facilitator.settle(paymentPayload, paymentRequirements)));
    });
  return listen(app);
}

async function signerOn({rpcUrl, client}: LocalChain) {
  const account = privateKeyToAccount(generatePrivateKey());
  await client.setBalance({address: account.address, value: parseEther('1000')});
  const wallet = createWalletClient({
    account,
    chain: baseSepolia,
    transport: http(rpcUrl, {retryCount: 0, fetchFn: fetchFromNode}),
    cacheTime: 0,
  }).extend(publicActions);
  return toFacilitatorEvmSigner({
    ...wallet,
    address: account.address,
    waitForTransactionReceipt: ({hash}) => receiptOf(wallet, hash),
    // The package types typed data less strictly than viem.
    verifyTypedData: data => wallet.verifyTypedData(data as Parameters<typeof wallet.verifyTypedData>[0]),
  });
}
