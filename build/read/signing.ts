import type {Fault} from '../../shared/fault.ts';
import {SITE_FILE} from '../../shared/paths.ts';
import type {FormerKey, PublicKey, Signing} from '../../shared/public-key.ts';

/** Each key has its own thumbprint, and each former one has signed the next, unless it was lost. */
export async function faultsOfSigning({signing}: {readonly signing?: Signing | undefined}): Promise<Fault[]> {
  if (!signing) return [];
  // Most sites have no key, and do not wait for the library.
  const [{nextKey}, {pointFault, thumbprintOf}] = await Promise.all([
    import('../../shared/next-key.ts'),
    import('../../shared/signing-key.ts'),
  ]);
  const {former = []} = signing;
  const keys: readonly (PublicKey & Partial<FormerKey>)[] = [...former, signing];
  const found = keys.map(async (key, index): Promise<Fault[]> => {
    const at = index < former.length ? `signing.former[${index}]` : 'signing';
    const fault = (member: keyof FormerKey, rule: string) => {
      return {file: SITE_FILE, field: `${at}.${member}`, value: key[member], rule};
    };
    const {kid, x, since, until, signed_next} = key;
    const [thumbprint, pointless] = [await thumbprintOf(x), await pointFault(key)];
    const next = keys[index + 1];
    const isSigned = signed_next === undefined || (await nextKey(key))?.kid === next?.kid;
    return [
      ...(pointless === undefined ? [] : [fault('x', pointless)]),
      ...(kid === thumbprint ? [] : [fault('kid', `is not the thumbprint of x (RFC 7638), which is ${thumbprint}`)]),
      ...(keys.findIndex(other => other.kid === kid) < index ? [fault('kid', 'is listed twice')] : []),
      ...(until !== undefined && since !== undefined && until < since ? [fault('until', `is before since`)] : []),
      ...(isSigned ? [] : [fault('signed_next', `is not by this key over the next one, ${next?.kid}`)]),
    ];
  });
  return (await Promise.all(found)).flat();
}
