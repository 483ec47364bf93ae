import assert from 'node:assert/strict';
import {test} from 'node:test';
import {
  decodeFunctionData,
  encodeFunctionData,
  ExecutionRevertedError,
  parseAbi,
  type Address,
  type TransactionReceipt,
} from 'viem';
import {privateKeyToAccount} from 'viem/accounts';
import type {Node} from '../../shared/evm/node.ts';
import type {Call} from '../../paywall/settler/order.ts';
import {PaymentSigner, type Transfer} from '../../paywall/settler/signer.ts';

const abi = parseAbi([
  'function transferWithAuthorization(address from, uint256 value)',
  'function balanceOf(address account) view returns (uint256)',
]);
const SETTLER = `0x${'a'.repeat(40)}` as const;
const PAYER = `0x${'b'.repeat(40)}` as const;
const TOKEN = `0x${'c'.repeat(40)}` as const;
const transfer = {
  ...{address: TOKEN, abi, functionName: 'transferWithAuthorization', args: [PAYER, 7n] as readonly unknown[]},
} as const;
const balance = {address: TOKEN, abi, functionName: 'balanceOf', args: [PAYER] as readonly unknown[]} as const;
const DATA = encodeFunctionData({abi, functionName: 'transferWithAuthorization', args: [PAYER, 7n]});

/** Returns a signer with a node that sends this response to every request. */
function signerOf(answer: unknown, changes: Transfer = {}) {
  const asked: unknown[][] = [];
  const ask = (name: string) => (question: unknown) => {
    asked.push([name, question]);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const node = {readContract: ask('readContract'), getCode: ask('getCode'), call: ask('call')} as unknown as Node;
  return {asked, signer: new PaymentSigner(SETTLER, PAYER, node, changes)};
}

test('signs as the settler', () => {
  assert.deepEqual(signerOf(0).signer.getAddresses(), [SETTLER]);
});

test('estimates the transfer that x402 simulates', async () => {
  const calls: Call[] = [];
  const {signer, asked} = signerOf(5n, {
    estimate(call) {
      calls.push(call);
      return Promise.resolve(90_000n);
    },
  });
  assert.equal(await signer.readContract(transfer), undefined);
  assert.deepEqual([signer.gas, calls, asked], [90_000n, [{to: TOKEN, data: DATA}], []]);
  assert.equal(await signer.readContract(balance), 5n);
  assert.deepEqual(asked, [['readContract', balance]]);
});

test('simulates the transfer with the node if it needs no estimate', async () => {
  const {signer, asked} = signerOf(5n);
  assert.equal(await signer.readContract(transfer), 5n);
  assert.deepEqual([signer.gas, asked], [undefined, [['readContract', transfer]]]);
});

test('records failures of the node, and not that a call reverts', async () => {
  for (const [error, isFault] of [
    [new Error('no node'), true],
    [new ExecutionRevertedError({}), false],
  ] as const) {
    const {signer} = signerOf(error, {estimate: () => Promise.reject(error)});
    for (const call of [balance, transfer]) await assert.rejects(signer.readContract(call), error);
    assert.deepEqual(signer.faults, isFault ? [error, error] : []);
  }
});

for (const [what, address, code, isContract] of [
  ['the payer with code', PAYER, '0x60', true],
  ['the payer without code', PAYER, '0x', false],
  ['a payer that the node does not know', PAYER, undefined, false],
  ['another contract', TOKEN, '0x60', false],
] as const)
  test(`${what} is ${isContract ? '' : 'not '}a contract that pays`, async () => {
    const {signer} = signerOf(code);
    assert.equal(await signer.getCode({address}), code);
    assert.equal(signer.isContract, isContract);
  });

test('asks for code without rejecting, and records the failure', async () => {
  const {signer} = signerOf(new Error('no node'));
  assert.equal(await signer.getCode({address: PAYER}), undefined);
  assert.deepEqual([signer.isContract, signer.faults.length], [false, 1]);
});

test('verifies the key of an account without the node, and otherwise its contract', async () => {
  const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
  const data = {domain: {}, types: {A: [{name: 'a', type: 'uint256'}]}, primaryType: 'A', message: {a: 1n}} as const;
  const signature = await account.signTypedData(data);
  const verified = async (answer: unknown, address: Address) => {
    const {signer, asked} = signerOf(answer);
    const isSigned = await signer.verifyTypedData({...data, address, signature});
    return [isSigned, asked.length, signer.faults.length];
  };
  const answer = (digit: string) => ({data: `0x${digit.padStart(64, '0')}`});
  assert.deepEqual(await verified(answer('0'), account.address), [true, 0, 0]);
  assert.deepEqual(await verified(answer('1'), PAYER), [true, 1, 0]);
  assert.deepEqual(await verified(answer('0'), PAYER), [false, 1, 0]);
  const {signer} = signerOf(new Error('no node'));
  await assert.rejects(signer.verifyTypedData({...data, address: PAYER, signature}), /no node/);
  assert.equal(signer.faults.length, 1);
});

test('sends the transfer, and waits for its receipt', async () => {
  const calls: Call[] = [];
  const receipt = {transactionHash: '0x1'} as unknown as TransactionReceipt;
  const {signer} = signerOf(0, {
    send(call) {
      calls.push(call);
      return Promise.resolve(receipt);
    },
  });
  await assert.rejects(signer.waitForTransactionReceipt(), /nothing was sent/);
  assert.equal(await signer.writeContract({...transfer, dataSuffix: '0x99'}), '0x1');
  assert.deepEqual(calls, [{to: TOKEN, data: `${DATA}99`}]);
  assert.equal(await signer.waitForTransactionReceipt(), receipt);
  await signer.writeContract(transfer);
  const {data} = calls[1] ?? assert.fail();
  assert.deepEqual(decodeFunctionData({abi, data}).args, ['0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB', 7n]);
  assert.equal(data, DATA);
});

test('records that sending fails', async () => {
  const {signer} = signerOf(0, {send: () => Promise.reject(new Error('no node'))});
  await assert.rejects(signer.writeContract(transfer), /no node/);
  assert.equal(signer.faults.length, 1);
});

test('sends nothing else', async () => {
  const {signer} = signerOf(0);
  await assert.rejects(signer.writeContract(transfer), /nothing is sent/);
  await assert.rejects(signer.sendTransaction(), /no wallet is deployed/);
});
