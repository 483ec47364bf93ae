import {Option} from '@commander-js/extra-typings';

/** The option of commands that sign. */
export const signingKeyOption = () =>
  new Option('--signing-key-file <file>', "holds the site's signing key; nobody else may read it").env(
    'SIGNING_KEY_FILE',
  );
