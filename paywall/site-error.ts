/** Why a gate does not start: one sentence for the publisher. */
export class SiteError extends Error {
  override readonly name = 'SiteError';
}
