import {recoverAddress} from 'viem';
import type {Recover} from '../payments/chain/signature.ts';

export const recoverInWorker: Recover = (hash, signature) => recoverAddress({hash, signature});
