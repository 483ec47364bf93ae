import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {encoded, forge} from '../forge.ts';
import type {Forgery} from '../forge.ts';
import {rawRequest} from '../leak-table.ts';
import type {Leak, Target} from '../leak-table.ts';

const someone = '0x00000000000000000000000000000000000000A1';
const now = Math.floor(Date.now() / 1000);

/** Invalid payments. The signatures are genuine, except in attempts with a forged signature. */
export async function payments({host, path, challenge, otherChallenge}: Target): Promise<Leak[]> {
  // The account has no money, so even an otherwise valid payment is unpaid.
  const poor = privateKeyToAccount(generatePrivateKey());
  const good = await forge(challenge, poor);
  const forged = await Promise.all(
    Object.entries(forgeries).map(async ([name, forgery]) => [name, encoded(await forge(challenge, poor, forgery))]),
  );
  const thief = {...poor, address: privateKeyToAccount(generatePrivateKey()).address};
  const values: Record<string, string> = {
    ...Object.fromEntries(nonsense.map(([name, text]) => [name, encoded(text)])),
    ...(Object.fromEntries(forged) as Record<string, string>),
    ...broken(encoded(good)),
    'a payment without the money': encoded(good),
    'a payment for another document': encoded(await forge(otherChallenge, poor)),
    'a payment signed by another key': encoded(await forge(challenge, thief)),
    'a payment of version 1': encoded(await versionOne(target => forge(challenge, poor, target))),
  };
  const send = (name: string, headers: string[]): Leak => ({
    name,
    request: rawRequest(`GET ${path} HTTP/1.1`, [`Host: ${host}`, ...headers]),
  });
  return [
    ...Object.entries(values).map(([name, value]) =>
      send(`PAYMENT-SIGNATURE: ${name}`, [`PAYMENT-SIGNATURE: ${value}`]),
    ),
    send('X-PAYMENT of version 1', [
      `X-PAYMENT: ${encoded(await versionOne(target => forge(challenge, poor, target)))}`,
    ]),
    send('X-PAYMENT of version 2', [`X-PAYMENT: ${encoded(good)}`]),
    send('two payments', [`PAYMENT-SIGNATURE: ${encoded(good)}`, `PAYMENT-SIGNATURE: ${encoded(good)}`]),
    send('a good payment in a folded header', [`PAYMENT-SIGNATURE:\r\n ${encoded(good)}`]),
    {
      name: 'HEAD with a payment',
      request: rawRequest(`HEAD ${path} HTTP/1.1`, [`Host: ${host}`, `PAYMENT-SIGNATURE: ${encoded(good)}`]),
    },
  ];
}

async function versionOne(make: (forgery: Forgery) => Promise<Record<string, unknown>>) {
  return make({root: {x402Version: 1, scheme: 'exact', network: 'base-sepolia'}});
}

function broken(good: string): Record<string, string> {
  return {
    nothing: '',
    'a space': ' ',
    'no base64': '!!!',
    'base64 of the URL kind': good.replaceAll('=', '').replaceAll('A', '-'),
    'half a payment': good.slice(0, good.length / 2),
    'a payment and more': `${good}AAAA`,
    'a quoted payment': `"${good}"`,
    'bytes beyond ASCII': 'pay\xff\xfe',
    'a megabyte of spaces, cut at 14 kB': 'A'.repeat(14_000),
    '60 kB': 'A'.repeat(60_000),
  };
}

const nonsense: [string, string][] = [
  ['an empty text', ''],
  ['no JSON', 'hello'],
  ['null', 'null'],
  ['true', 'true'],
  ['a number', '1'],
  ['a string', '"paid"'],
  ['an array', '[]'],
  ['an empty object', '{}'],
  ['only a version', '{"x402Version":2}'],
  ['deep nesting', '['.repeat(5000)],
  ['a prototype', '{"__proto__":{"x402Version":2},"constructor":{}}'],
  ['a byte order mark', '\ufeff{}'],
];

const forgeries: Record<string, Forgery> = {
  'version 3': {root: {x402Version: 3}},
  'version as text': {root: {x402Version: '2'}},
  'no accepted': {root: {accepted: null}},
  'no payload': {root: {payload: null}},
  'no signature': {payload: {signature: undefined}},
  'an empty signature': {payload: {signature: '0x'}},
  'a short signature': {payload: {signature: '0xdead'}},
  'a signature of zeros': {payload: {signature: `0x${'0'.repeat(130)}`}},
  'a long signature': {payload: {signature: `0x${'ab'.repeat(3000)}`}},
  'a signature that is not hex': {payload: {signature: 'x'.repeat(132)}},
  'no authorization': {payload: {authorization: undefined}},
  'a permit instead of an authorization': {payload: {authorization: undefined, permit2Authorization: {from: someone}}},
  'a permit next to the authorization': {payload: {permit2Authorization: {from: someone}}},
  'another scheme': {accepted: {scheme: 'upto'}},
  'another network': {accepted: {network: 'eip155:8453'}},
  'a network that does not exist': {accepted: {network: 'eip155:1337133713'}},
  'another asset': {accepted: {asset: someone}},
  'another payee': {accepted: {payTo: someone}, authorization: {to: someone}},
  'another payee, signed only': {authorization: {to: someone}},
  'another payee, claimed only': {accepted: {payTo: someone}},
  'a smaller amount': {accepted: {amount: '1'}, authorization: {value: '1'}},
  'a smaller amount, signed only': {authorization: {value: '1'}},
  'a smaller amount, claimed only': {accepted: {amount: '1'}},
  'a larger amount': {authorization: {value: '99999999'}},
  'nothing at all': {accepted: {amount: '0'}, authorization: {value: '0'}},
  'a negative amount': {tampered: {value: '-1'}},
  'a hexadecimal amount': {tampered: {value: '0x4e20'}},
  'an amount in scientific notation': {tampered: {value: '2e4'}},
  'an amount as a number': {tampered: {value: 20_000}},
  'a tampered payer': {tampered: {from: someone}},
  'a tampered payee': {tampered: {to: someone}},
  'a tampered nonce': {tampered: {nonce: `0x${'1'.repeat(64)}`}},
  'a short nonce': {tampered: {nonce: '0x01'}},
  'a tampered expiry': {tampered: {validBefore: String(now + 100_000)}},
  'an expired authorization': {authorization: {validBefore: String(now - 10)}},
  'an authorization that expires this second': {authorization: {validBefore: String(now)}},
  'an authorization that is not valid yet': {authorization: {validAfter: String(now + 1000)}},
  'an endless authorization': {authorization: {validBefore: String(2n ** 256n - 1n)}},
  'an expiry beyond all numbers': {tampered: {validBefore: '9'.repeat(78)}},
  'a signature for another chain': {chainId: 1},
  'a settlement before the handler': {accepted: {extra: {name: 'USDC', version: '2', paymentFlow: 'upfront'}}},
  'another token name': {accepted: {extra: {name: 'Free', version: '2'}}},
  'an altered extension': {root: {extensions: {bazaar: {info: {input: {method: 'DELETE'}}}}}},
  'a snapshot of other bytes': {root: {extensions: {snapshot: {info: {sha256: '0'.repeat(64)}}}}},
  'a snapshot that does not exist': {root: {extensions: {snapshot: 1}}},
  'a resource that is not a text': {root: {resource: {url: 1}}},
  'no resource': {root: {resource: undefined}},
  'the origin as resource': {root: {resource: {url: 'https://snapshots.example'}}},
};
