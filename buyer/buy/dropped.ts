import {refuse} from '../../shared/fault.ts';
import {paths} from '../../shared/paths.ts';
import {dollarsOf} from './money.ts';
import {Payments} from './payments.ts';
import {allOwned} from './owned.ts';

/**
 * Throws `InputError` if a folder has a document that its site no longer sells, such as a part of a list that became shorter. The error
 * names the bought files and an interrupted payment.
 */
export async function refuseDropped(folder: string, origin: string, name: string): Promise<void> {
  const file = origin + paths.paid(name);
  const bought = (await allOwned(folder)).filter(one => one.site === origin && one.name === name);
  const open = (await Payments.read(folder)).openOf(origin, name);
  const fault = (rest: string) => ({code: 'FZ615' as const, file, rule: `is no longer sold${rest}`});
  refuse([
    ...bought.map(({as_of, file: saved}) => fault(`. The document of ${as_of} was bought before: ${saved}`)),
    ...(open && !bought.some(({sha256}) => sha256 === open.sha256)
      ? [
          fault(
            `, and a payment of ${dollarsOf(Number(open.amount))} for it was interrupted (signed at ${open.signedAt}). It may have been charged, so ask the publisher for a refund`,
          ),
        ]
      : []),
  ]);
}
